/**
 * @typedef {import('./rows.js').Row} Row
 * @typedef {{ file: string, name: string, status: string }} TestResult `file` from the root; `name`
 *   with all that it stands in; `status` as the runner of the tests gives it.
 * @typedef {{ test: string, runs: number, seed?: number, recoveryMs?: number }} Figures
 */

/** What was asked for and ran: a row without a test that passed or failed proves nothing. */
const RAN = new Set(['passed', 'failed']);

/**
 * The figures of each row: a test that told nothing of itself counts as one run.
 *
 * @param {readonly Row[]} rows
 * @param {readonly TestResult[]} results
 * @param {readonly Figures[]} told
 */
export function figuresOf(rows, results, told) {
  return rows.map((row) => {
    const own = results.filter(({ file, name }) =>
      row.suites.some((suite) => suite.file === file && name.includes(suite.test ?? '')),
    );
    const ran = own.filter(({ status }) => RAN.has(status));
    const names = new Set(ran.map(({ name }) => name));
    const figures = told.filter(({ test }) => names.has(test));
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

/**
 * The report as a table of Markdown.
 *
 * @param {ReturnType<typeof figuresOf>} figures
 */
export function tableOf(figures) {
  const lines = figures.map(({ tests, notRun, runs, seeds, violations, recoveryMs, ...row }) => {
    const ran = notRun > 0 ? `${tests} (${notRun} did not run)` : `${tests}`;
    const recovery = recoveryMs === null ? '–' : `${(recoveryMs / 1000).toFixed(1)} s`;
    const cells = [row.fault, row.invariant, ran, runs, seeds.join(' ') || '–'];
    return `| ${[...cells, tests > 0 ? violations : 'not tested', recovery].join(' | ')} |`;
  });
  return [
    '| fault | what must hold | tests | runs | seeds | violations | worst recovery |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/**
 * A text in which the section has this content; it is the last one where there was none.
 *
 * @param {string} text
 * @param {string} heading
 * @param {string} content
 */
export function withSection(text, heading, content) {
  const section = `## ${heading}\n\n${content}\n`;
  const start = text.indexOf(`## ${heading}\n`);
  if (start === -1) return `${text.trimEnd()}\n\n${section}`.trimStart();
  const next = text.indexOf('\n## ', start);
  return text.slice(0, start) + section + (next === -1 ? '' : text.slice(next));
}
