import { readEnvironment } from '@tallyhand/service-kit/env';

/**
 * How many random cases a test tries: a sample each time, all in `npm run faults`. With the seed
 * that a failure prints (`FAULT_SEED`) the very same cases are tried again.
 */
export function faultRuns(sample: number, all: number): { numRuns: number; seed?: number } {
  const { FAULTS, FAULT_SEED } = readEnvironment();
  const numRuns = FAULTS === 'all' ? all : sample;
  return FAULT_SEED ? { numRuns, seed: Number(FAULT_SEED) } : { numRuns };
}
