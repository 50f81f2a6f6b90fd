import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withSection } from '../measurements.js';
import { instancesRow, leftOut } from './instances.js';
import { figuresOf, isWell, tableOf } from './report.js';
import { faultRows } from './rows.js';

const rows = [
  {
    fault: 'kill -9',
    invariant: 'nothing is lost',
    suites: [{ file: 'a.test.ts', test: 'kill' }, { file: 'b.test.ts' }],
  },
];
const today = { measured: 'today' };
const passed = (file: string, name: string) => ({ file, name, status: 'passed' });

describe('the report of faults', () => {
  it('adds up the runs that tests report, and counts one for each other test', () => {
    const results = [passed('a.test.ts', 'kill once'), passed('b.test.ts', 'again')];
    const reported = [
      { test: 'kill once', runs: 20, seed: 7, recoveryMs: 1_200 },
      { test: 'kill once', runs: 30, recoveryMs: 3_400 },
      { test: 'of another row', runs: 500, seed: 9 },
    ];
    expect(figuresOf(rows, results, reported)).toMatchObject([
      { tests: 2, runs: 51, seeds: [7], violations: 0, recoveryMs: 3_400 },
    ]);
  });

  it('takes the tests of a file that are named, and leaves out what did not run', () => {
    const skipped = { ...passed('b.test.ts', 'elsewhere'), status: 'skipped' };
    const results = [passed('a.test.ts', 'other'), passed('a.test.ts', 'a kill'), skipped];
    const figures = figuresOf(rows, results, []);
    expect(figures).toMatchObject([{ tests: 1, notRun: 1, runs: 1 }]);
    expect(tableOf(rows, figures, today)).toContain(
      '| 1 (1 did not run) | 1 | – | 0 | – | today |',
    );
  });

  it('is well where each row was tested, without a violation', () => {
    const ran = (status: string) =>
      figuresOf(rows, [{ file: 'b.test.ts', name: 'again', status }], []);
    expect(isWell(ran('passed'))).toBe(true);
    expect(isWell(ran('failed'))).toBe(false);
    expect(isWell(ran('skipped'))).toBe(false);
    expect(tableOf(rows, ran('skipped'), today)).toContain('not tested');
  });

  it('keeps the rows of an earlier one that were not run again', () => {
    const all = ['kill -9', 'a full disk', 'power loss'].map((fault) => ({
      fault,
      invariant: 'i',
    }));
    const run = (fault: string) =>
      figuresOf(
        [{ ...all[0], fault, invariant: 'i', suites: rows[0]?.suites ?? [] }],
        [passed('b.test.ts', 'again')],
        [],
      );
    const before = tableOf(all, [...run('kill -9'), ...run('gone since')], { measured: 'then' });
    const lines = tableOf(all, run('a full disk'), { measured: 'now', before }).split('\n');
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^\| kill -9 .* then \|$/),
      expect.stringMatching(/^\| a full disk .* now \|$/),
      expect.stringMatching(/^\| power loss .* not yet \|$/),
    ]);
  });

  it('replaces the previous one, and nothing else', () => {
    const text = '# Measurements\n\n## Faults\n\nold\n\n## Bench\n\nkept\n';
    const changed = withSection(text, 'Faults', 'new');
    expect(changed).toBe('# Measurements\n\n## Faults\n\nnew\n\n## Bench\n\nkept\n');
    expect(withSection('# Measurements\n', 'Faults', 'new')).toBe(
      '# Measurements\n\n## Faults\n\nnew\n',
    );
  });
});

describe('the table of faults', () => {
  const suites = [...faultRows, instancesRow()].flatMap((row) => row.suites);

  it.each(suites)('names existing tests: $file', ({ file, ...suite }) => {
    expect(existsSync(file)).toBe(true);
    const test = 'test' in suite ? suite.test : '';
    expect(readFileSync(file, 'utf8')).toContain(test);
  });

  it('leaves out of several instances only existing rows', () => {
    for (const file of Object.keys(leftOut)) {
      expect(existsSync(`stack/src/api-tests/${file}`)).toBe(true);
    }
  });
});
