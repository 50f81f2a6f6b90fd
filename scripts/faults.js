import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instancesRow, leftOut } from './faults/instances.js';
import { figuresOf, isWell, tableOf } from './faults/report.js';
import { faultRows } from './faults/rows.js';
import { keepMeasurements, machine, readMeasurements } from './measurements.js';
import { environment, prepare, root } from './prepare.js';
import { testFilesOf } from './test-results.js';

/*
 * Runs everything that breaks on purpose, with all cases instead of a sample, one after the other,
 * and reports it. `--sample` runs the cases of `npm test`, and stores nothing; a word selects
 * matching rows. In docs/measurements.md each row has its last run, with the day.
 */
const words = process.argv.slice(2).filter((word) => word !== '--sample');
const isSample = process.argv.includes('--sample');
const node = await prepare({ web: true });
const folder = mkdtempSync(join(tmpdir(), 'tallyhand-faults-'));
const figuresFile = join(folder, 'figures.ndjson');

const holds = (row, word) => JSON.stringify(row).toLowerCase().includes(word.toLowerCase());
const all = [...faultRows, instancesRow()];
const rows = all.filter((row) => words.every((word) => holds(row, word)));

/** Runs a test file and returns the result of each test. */
function run(file, topology) {
  const started = Date.now();
  const outputFile = join(folder, 'results.json');
  rmSync(outputFile, { force: true });
  const { status } = spawnSync(
    node,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      file,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${outputFile}`,
    ],
    {
      cwd: root,
      env: {
        ...environment(),
        ...(isSample ? {} : { TEST_CASES: 'all' }),
        ...(topology ? { TOPOLOGY: topology } : {}),
        FAULT_FIGURES: figuresFile,
      },
      stdio: 'inherit',
    },
  );
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${status === 0 ? 'ok    ' : 'failed'}  ${file} (${seconds} s)`);
  // A file that can't be loaded has no results.
  if (!existsSync(outputFile)) return [{ file, name: '', status: 'failed' }];
  const results = testFilesOf(JSON.parse(readFileSync(outputFile, 'utf8')), root).flatMap(
    ({ tests, error }) =>
      // A failure outside of its tests fails them all.
      error === undefined ? tests : tests.map((each) => ({ ...each, status: 'failed' })),
  );
  return results.length > 0 ? results : [{ file, name: '', status: 'failed' }];
}

/** What the tests have reported since the last time. */
function takeFigures() {
  if (!existsSync(figuresFile)) return [];
  const lines = readFileSync(figuresFile, 'utf8').trimEnd().split('\n');
  rmSync(figuresFile);
  return lines.map((line) => {
    const figures = JSON.parse(line);
    return { ...figures, test: figures.test.replaceAll(' > ', ' ') };
  });
}

/** The rows of one topology, each file run once. */
function figuresOn(topology) {
  const own = rows.filter((row) => row.topology === topology);
  const files = new Set(own.flatMap(({ suites }) => suites.map(({ file }) => file)));
  const results = [...files].flatMap((file) => run(file, topology));
  return figuresOf(own, results, takeFigures());
}

const figures = [...figuresOn(undefined), ...figuresOn('instances')];
rmSync(folder, { recursive: true });
const measured = machine(node);
console.log(`\n${tableOf(rows, figures, { measured })}`);
if (!isSample) {
  const notes = Object.entries(leftOut).map(([file, reason]) => `- ${file}: ${reason}`);
  const table = tableOf(all, figures, { measured, before: readMeasurements() });
  const report = `\`npm run faults\`\n\n${table}\n\nNot run on several instances:\n\n${notes.join('\n')}`;
  keepMeasurements([['Faults', report]]);
}
process.exitCode = isWell(figures) ? 0 : 1;
