import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment, prepare, root } from './prepare.js';

/** Everything that breaks on purpose, with all cases instead of a sample, one after the other. */
const node = await prepare({ web: true });
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const suites = [
  'ledger.histories',
  'ledger-writers',
  'payment.permutations',
  'api-tests/payments',
  'stack/src/faults',
  'api-tests/recovery',
];

let failures = 0;
for (const suite of suites) {
  const started = Date.now();
  const { status } = spawnSync(node, [vitest, 'run', suite], {
    cwd: root,
    env: { ...environment(), FAULTS: 'all' },
    stdio: 'inherit',
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${status === 0 ? 'ok    ' : 'failed'}  ${suite} (${seconds} s)`);
  if (status !== 0) failures += 1;
}
process.exitCode = failures === 0 ? 0 : 1;
