import { testFilesOf } from '../test-results.js';

/** A failure without a test that reports it, such as an unhandled rejection. */
const OUTSIDE = '(outside of the tests)';

/**
 * What failed in a round: each test, or a file that failed outside of its tests.
 *
 * @param {{ testResults: any[] } | undefined} report what vitest's JSON reporter wrote, if anything
 * @param {boolean} hasFailed whether vitest says so
 * @param {string} root
 * @returns {{ file: string, name: string, message: string }[]}
 */
export function failuresOf(report, hasFailed, root) {
  const failures = (report ? testFilesOf(report, root) : []).flatMap(({ file, tests, error }) =>
    error === undefined
      ? tests.filter(({ status }) => status === 'failed')
      : [{ file, name: OUTSIDE, message: error }],
  );
  return failures.length === 0 && hasFailed
    ? [{ file: OUTSIDE, name: '', message: 'see the output of the round' }]
    : failures.map(({ file, name, message }) => ({ file, name, message }));
}

/**
 * A line for each test that failed: how often, in which rounds, and its first message.
 *
 * @param {readonly { seed: number, failures: { file: string, name: string, message: string }[] }[]} rounds
 */
export function listOf(rounds) {
  const all = new Map();
  for (const { seed, failures } of rounds) {
    for (const { file, name, message } of failures) {
      const title = `${file} ${name}`.trim();
      const found = all.get(title) ?? { title, seeds: [], message };
      all.set(title, { ...found, seeds: [...found.seeds, seed] });
    }
  }
  return [...all.values()]
    .toSorted((a, b) => b.seeds.length - a.seeds.length || a.title.localeCompare(b.title))
    .flatMap(({ title, seeds, message }) => [
      `${seeds.length} of ${rounds.length}  ${title}  TEST_SEED ${seeds.join(', ')}`,
      `        ${message.split('\n')[0]}`,
    ]);
}
