import { appendFileSync } from 'node:fs';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { expect } from 'vitest';

const SEEDS = 2 ** 31;

/**
 * How many random cases a test tries: a sample each time, all in `npm run faults`. With the seed
 * that a failure prints (`FAULT_SEED`) the very same cases are tried again.
 */
export function faultRuns(sample: number, all: number): { numRuns: number; seed?: number } {
  const { FAULT_SEED } = readEnvironment();
  const numRuns = isAllFaults() ? all : sample;
  return FAULT_SEED ? { numRuns, seed: Number(FAULT_SEED) } : { numRuns };
}

/** As `faultRuns`, inside of a test that tries the cases: how many and their seed are reported. */
export function reportedRuns(sample: number, all: number): { numRuns: number; seed: number } {
  const { numRuns, seed = Math.floor(Math.random() * SEEDS) } = faultRuns(sample, all);
  reportFault({ runs: numRuns, seed });
  return { numRuns, seed };
}

/** In `npm run faults`: nothing is made shorter. */
export const isAllFaults = (): boolean => readEnvironment().FAULTS === 'all';

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
