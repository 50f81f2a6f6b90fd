/**
 * @typedef {import('./rows.js').Row} Row
 * @typedef {{ file: string, name: string, status: string }} TestResult `file` from the root; `name`
 *   with all that it stands in; `status` as the runner of the tests gives it.
 * @typedef {{ test: string, runs: number, seed?: number, recoveryMs?: number }} Figures
 */

/** Selected tests that ran: a row without a test that passed or failed proves nothing. */
const RAN = new Set(['passed', 'failed']);

/**
 * The figures of each row: a test without figures counts as one run.
 *
 * @param {readonly Row[]} rows
 * @param {readonly TestResult[]} results
 * @param {readonly Figures[]} reported
 */
export function figuresOf(rows, results, reported) {
  return rows.map((row) => {
    const own = results.filter(({ file, name }) =>
      row.suites.some((suite) => suite.file === file && name.includes(suite.test ?? '')),
    );
    const ran = own.filter(({ status }) => RAN.has(status));
    const names = new Set(ran.map(({ name }) => name));
    const figures = reported.filter(({ test }) => names.has(test));
    const telling = new Set(figures.map(({ test }) => test));
    const silent = ran.filter(({ name }) => !telling.has(name)).length;
    const times = figures.flatMap(({ recoveryMs }) => recoveryMs ?? []);
    return {
      fault: row.fault,
      invariant: row.invariant,
      tests: ran.length,
      notRun: own.length - ran.length,
      runs: silent + figures.reduce((sum, { runs }) => sum + runs, 0),
      seeds: figures.flatMap(({ seed }) => seed ?? []),
      violations: ran.filter(({ status }) => status === 'failed').length,
      recoveryMs: times.length > 0 ? Math.max(...times) : null,
    };
  });
}

/** @param {ReturnType<typeof figuresOf>} figures */
export const isWell = (figures) =>
  figures.every(({ tests, violations }) => tests > 0 && violations === 0);

const HEAD = [
  '| fault | what must hold | tests | runs | seeds | violations | worst recovery | measured |',
  '|---|---|---|---|---|---|---|---|',
];

/**
 * The line of one row in the table.
 *
 * @param {ReturnType<typeof figuresOf>[number]} figures
 * @param {string} measured
 */
function lineOf({ tests, notRun, runs, seeds, violations, recoveryMs, ...row }, measured) {
  const ran = notRun > 0 ? `${tests} (${notRun} did not run)` : `${tests}`;
  const recovery = recoveryMs === null ? '–' : `${(recoveryMs / 1000).toFixed(1)} s`;
  const cells = [row.fault, row.invariant, ran, runs, seeds.join(' ') || '–'];
  return `| ${[...cells, tests > 0 ? violations : 'not tested', recovery, measured].join(' | ')} |`;
}

/**
 * The report as a table of Markdown, in the order of all rows: those that were not run this time as
 * they stand in the report before, and those that never were without figures.
 *
 * @param {readonly Pick<Row, 'fault' | 'invariant'>[]} all
 * @param {ReturnType<typeof figuresOf>} figures
 * @param {{ measured: string, before?: string }} when `before`: an earlier report
 */
export function tableOf(all, figures, { measured, before = '' }) {
  const kept = before.split('\n');
  const lines = all.map(({ fault, invariant }) => {
    const own = figures.find((each) => each.fault === fault);
    if (own) return lineOf(own, measured);
    const earlier = kept.find((line) => line.startsWith(`| ${fault} |`));
    return earlier ?? `| ${fault} | ${invariant} | – | – | – | – | – | not yet |`;
  });
  return [...HEAD, ...lines].join('\n');
}
