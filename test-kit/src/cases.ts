import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { jsonLog, type Log } from '@tallyhand/service-kit/log';
import { expect } from 'vitest';

const counted = jsonLog('test', 'silent');

/** Errors go to the console, which a run shows only of tests that fail. */
export const testLog: Log = {
  info: counted.info,
  warn: counted.warn,
  error(message, fields) {
    counted.error(message, fields);
    console.error(message, fields);
  },
};

/** `npm test -- --all` and `npm run faults`: every case is tried, and nothing is made shorter. */
export const isAllCases = (): boolean => readEnvironment().TEST_CASES === 'all';

/** The commit's, unless `TEST_SEED` names that of a failure: the same cases are tried again. */
export const caseSeed = (): number => Number(readEnvironment().TEST_SEED);

/** How many random cases a test tries, and their seed. */
export function caseRuns(sample: number, all: number): { numRuns: number; seed: number } {
  return { numRuns: isAllCases() ? all : sample, seed: caseSeed() };
}

/** As `caseRuns`, inside of a test that tries the cases: how many and their seed are reported. */
export function reportedRuns(sample: number, all: number): { numRuns: number; seed: number } {
  const { numRuns, seed } = caseRuns(sample, all);
  reportFault({ runs: numRuns, seed });
  return { numRuns, seed };
}

/** One in `oneIn` of the cases, at least one: other ones with each commit. */
export function sampleOf<T>(cases: readonly T[], oneIn: number): readonly T[] {
  if (isAllCases()) return cases;
  const ranks = cases.map((_, index) => rankOf(String(index)));
  const last = ranks.toSorted()[Math.ceil(cases.length / oneIn) - 1] ?? '';
  return cases.filter((_, index) => (ranks[index] ?? '') <= last);
}

/** Whether a case that stands alone is one of the `oneIn` that are tried with this commit. */
export const isInSample = (name: string, oneIn: number): boolean =>
  isAllCases() || Number.parseInt(rankOf(name).slice(0, 8), 16) % oneIn === 0;

const rankOf = (name: string) => createHash('sha256').update(`${caseSeed()} ${name}`).digest('hex');

/** For the name of a test that takes a sample: how the same one is taken again. */
export const sampleName = () => (isAllCases() ? 'all' : `TEST_SEED=${caseSeed()}`);

/** What one test of a fault did. `recoveryMs`: from the fault to what it is like without one. */
export type FaultFigures = {
  readonly runs: number;
  readonly seed?: number;
  readonly recoveryMs?: number;
};

/** Adds the figures of the running test to the report of `npm run faults`; a failure is its own. */
export function reportFault(figures: FaultFigures): void {
  const { FAULT_FIGURES } = readEnvironment();
  if (!FAULT_FIGURES) return;
  const { currentTestName: test } = expect.getState();
  appendFileSync(FAULT_FIGURES, `${JSON.stringify({ test, ...figures })}\n`);
}
