import { describe, expect, it } from 'vitest';
import { withSection } from '../measurements.js';
import { scoreOf, survivorsOf, tableWith } from './report.js';

const mutant = (status: string, line: number, [start, end]: [number, number], to = 'false') => ({
  fileName: '/project/a.ts',
  status,
  replacement: to,
  location: { start: { line, column: start }, end: { line, column: end } },
});

describe('the report of mutants', () => {
  it('counts mutants that a test detects or that never end, and none that cannot run', () => {
    const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError', 'Ignored'];
    expect(scoreOf(statuses.map((status) => ({ status })))).toEqual({ total: 4, percent: 50 });
    expect(scoreOf([])).toEqual({ total: 0, percent: 100 });
  });

  it('shows what no test noticed, in the order of the file', () => {
    const text = 'const a = 1;\nif (a > 1) stop();\n';
    const mutants = [
      mutant('Survived', 2, [5, 10], 'a >= 1'),
      mutant('Killed', 2, [5, 10]),
      mutant('NoCoverage', 1, [11, 12], '2'),
    ];
    expect(survivorsOf(mutants, '/project', () => text)).toEqual([
      'a.ts:1  1  →  2 (no test runs it)',
      'a.ts:2  a > 1  →  a >= 1',
    ]);
  });

  it('keeps one row for the same files beside those of others', () => {
    const row = { files: 'a.ts', total: 4, percent: 50, measured: 'yesterday' };
    const first = withSection('# Measurements\n', 'Mutants', tableWith('', row));
    const other = withSection(
      `${first}\n## Others\n\n| \`c.ts\` | 1 |\n`,
      'Mutants',
      tableWith(first, { ...row, files: 'b.ts', total: 8 }),
    );
    const last = tableWith(other, { ...row, percent: 87.5, measured: 'today' });
    expect(last.split('\n').slice(4)).toEqual([
      '| `a.ts` | 4 | 87.5 % | today |',
      '| `b.ts` | 8 | 50.0 % | yesterday |',
    ]);
  });
});
