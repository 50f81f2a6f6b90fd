import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { keepMeasurements, machine, readMeasurements } from '../scripts/measurements.js';
import { scoreOf, survivorsOf, tableWith } from '../scripts/mutants/report.js';
import { root } from '../scripts/prepare.js';

const paths = process.argv.slice(2).filter((word) => word !== '--keep');
if (paths.length === 0) {
  console.error('Name files: npm run mutants -- command-service/src/features/credits/ledger*.ts');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'tallyhand-mutants-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.chdir(root);

const mutants = await new Stryker({
  mutate: [...paths, '!**/*.test.ts', '!**/testing/**'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  tempDirName: folder,
  ignorePatterns: ['/web', '/docs', '/bench', '/judges', '/data', '.cache'],
  // What it would change there needs a TypeScript that still has its JavaScript interface.
  tsconfigFile: 'none',
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  logLevel: 'error',
}).runMutationTest();

const read = (file) => readFileSync(file, 'utf8');
for (const line of survivorsOf(mutants, root, read)) console.log(line);
const score = scoreOf(mutants);
const files = paths.join(' ');
console.log(`${score.percent.toFixed(1)} % of ${score.total} noticed: ${files}`);
if (process.argv.includes('--keep')) {
  const row = { files, ...score, measured: machine() };
  keepMeasurements([['Mutants', tableWith(readMeasurements(), row)]]);
}
