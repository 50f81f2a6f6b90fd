import { readEnvironment } from '@tallyhand/service-kit/env';

const { NODE_COMPILE_CACHE } = readEnvironment();

/**
 * For the environment of a program that a test starts without its own: the program need not compile
 * what another one has compiled. Empty where the tests run without it.
 */
export const KEPT_CODE: Readonly<Record<string, string>> = NODE_COMPILE_CACHE
  ? { NODE_COMPILE_CACHE }
  : {};
