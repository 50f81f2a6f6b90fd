import { describe, it } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What a test lacks, where it is left out; the summary of a run says it. */
    lacks?: string;
  }
}

/** `describe` where it is possible; elsewhere the tests are left out, with what they lack. */
export const describeIf =
  (isPossible: boolean, lacks: string) => (name: string, tests: () => void) =>
    describe.skipIf(!isPossible)(name, { meta: { lacks } }, tests);

/** The same of one test. */
export const itIf =
  (isPossible: boolean, lacks: string) => (name: string, test: () => Promise<void>) =>
    it.skipIf(!isPossible)(name, { meta: { lacks } }, test);

export const CONTAINERS = 'a container engine';
export const DOVECOT = 'Dovecot';
export const ONE_PROCESS = 'one process';
