import { fork, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { environment, prepare, root } from './prepare.js';
import { failuresOf, listOf } from './stress/report.js';

/*
 * `npm run stress -- N [part]`: runs the tests N times, in random order and with other cases each
 * time, while other processes keep every core and the disk busy. Lists which test failed how often.
 * `TEST_ORDER=random TEST_SEED=… npm test -- …` repeats the order and the cases of a round. The
 * output of a failed round is kept in .cache/stress. Words and options after N go to vitest.
 */
const [times, ...part] = process.argv.slice(2);
const count = Number(times);
if (!Number.isInteger(count) || count < 1) {
  console.error('Say how many rounds: npm run stress -- 20 features/credits');
  process.exit(1);
}
const node = await prepare({ web: !part.includes('unit') });
const folder = join(root, '.cache', 'stress');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const load = Array.from({ length: availableParallelism() }, () =>
  fork(join(root, 'scripts', 'stress', 'load.js'), { stdio: 'ignore' }),
);
let isStopped = false;
let tests;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true;
    // Ctrl-C in a terminal reaches vitest directly.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) tests?.kill(signal);
  });
}

/** Runs the tests once and returns the failures. */
async function run(seed) {
  const output = join(folder, `${seed}.log`);
  const reportFile = join(folder, `${seed}.json`);
  const log = openSync(output, 'w');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${reportFile}`];
  tests = spawn(node, [vitest, 'run', ...reporters, ...part], {
    cwd: root,
    env: { ...environment(), TEST_ORDER: 'random', TEST_SEED: String(seed) },
    stdio: ['ignore', log, log],
  });
  const code = await new Promise((resolve) => tests.once('exit', resolve));
  const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : undefined;
  rmSync(reportFile, { force: true });
  if (code === 0) rmSync(output);
  return failuresOf(report, code !== 0, root);
}

const rounds = [];
while (rounds.length < count && !isStopped) {
  const seed = randomInt(1, 2 ** 31);
  const started = Date.now();
  const failures = await run(seed);
  if (isStopped) break;
  rounds.push({ seed, failures });
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(
    `round ${rounds.length} of ${count}: ${failures.length} failed (${seconds} s, TEST_SEED=${seed})`,
  );
}
for (const child of load) child.disconnect();
for (const line of listOf(rounds)) console.log(line);
process.exitCode = isStopped || rounds.some(({ failures }) => failures.length > 0) ? 1 : 0;
