import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.js';

const folder = 'stack/src/api-tests';

/** Tests of calls that need one process by their nature, with the reason. */
export const leftOut = {
  'limits.int.test.ts': 'each process counts the requests of an address for itself',
  'api-keys.int.test.ts':
    'it counts calls with a key one by one; instances learn of others within a second',
  'shared-limits.int.test.ts': 'it uses two separate instances, neither of which may end meanwhile',
  'headers.int.test.ts': 'health and figures are at an address of each process',
  'sign-in-time.int.test.ts': 'it measures time, which a restart takes too',
};

/** All other tests of calls run on two instances of each service, of which one is always ended. */
export function instancesRow() {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.int.test.ts'));
  return {
    fault: 'all tests of calls on two of each service, of which one is always being ended',
    invariant: 'the same answers as from one process',
    topology: 'instances',
    suites: files
      .filter((name) => !Object.hasOwn(leftOut, name))
      .map((name) => ({ file: `${folder}/${name}` })),
  };
}
