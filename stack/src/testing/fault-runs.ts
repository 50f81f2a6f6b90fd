import { readEnvironment } from '@tallyhand/service-kit/env';

/**
 * How many random cases a test tries: a sample each time, all in `npm run faults`. With the seed
 * that a failure prints (`FAULT_SEED`) the very same cases are tried again.
 */
export function faultRuns(sample: number, all: number): { numRuns: number; seed?: number } {
  const { FAULT_SEED } = readEnvironment();
  const numRuns = isAllFaults() ? all : sample;
  return FAULT_SEED ? { numRuns, seed: Number(FAULT_SEED) } : { numRuns };
}

/** In `npm run faults`: nothing is made shorter. */
export const isAllFaults = (): boolean => readEnvironment().FAULTS === 'all';
