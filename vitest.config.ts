import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { prepareJudges } from './scripts/prepare.js';
import { QuietReporter } from './scripts/quiet-reporter.js';
import { SlowestReporter } from './scripts/slowest-reporter.js';

// Each commit tries other cases; `TEST_SEED=` tries those of a failure again.
process.env.TEST_SEED ??= String(seedOfCommit());

function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 16) || 1;
}

/**
 * Each of these files kills or floods many processes, or installs programs of others that judge ours:
 * commits take turns at a third of them.
 */
const LONG = [
  'stack/src/faults/{backup,boundaries,full-disk,instances,invitation-links,kill}.int.test.ts',
  'stack/src/faults/{low-disk,mail,mail-kill,move,sessions,shared-queues,shortage}.int.test.ts',
  'stack/src/api-tests/{generated-clients,mcp-client-judges,mcp-judges}.int.test.ts',
];
const LONG_ONE_IN = 3;

function longLeftOut(): string[] {
  if (process.env.TEST_LONG !== 'sample') return [];
  const turn = Number(process.env.TEST_SEED) % LONG_ONE_IN;
  const files = globSync(LONG).toSorted();
  const left = files.filter((_, index) => index % LONG_ONE_IN !== turn);
  process.env.TEST_FILES_LEFT_OUT = String(left.length);
  installJudges(files.filter((file) => !left.includes(file)));
  return left;
}

/** Before the run: in a test each installation blocks a worker for a quarter of a minute. */
function installJudges(files: readonly string[]) {
  prepareJudges('runtimes');
  if (files.some((file) => /\/mcp-/.test(file))) prepareJudges('mcp');
  if (files.some((file) => /\/generated-/.test(file))) prepareJudges('openapi');
}

const WORKERS = 4;

/**
 * Faults and judges take longest, and each starts many processes: they come first, because idle
 * workers would wait for them at the end, and one at a time.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/faults\/.*\.int\.|-judges\.int\.|\/generated-clients\./.test(moduleId);
    const long = sorted.filter(isLong);
    return sorted
      .filter((file) => !isLong(file))
      .flatMap((file, index) => {
        const isNext = file.project.name === 'integration' && index % WORKERS === 0;
        const next = isNext ? long.shift() : undefined;
        return next ? [next, file] : [file];
      })
      .concat(long);
  }
}

/**
 * `npm run stress`: nothing may depend on the order of files, or of the tests in one. Those of a project
 * stay together: at each change to another one, workers start everything again.
 */
class RandomOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const place = ({ moduleId }: TestSpecification) =>
      hash('sha1', `${process.env.TEST_SEED} ${moduleId}`);
    const shuffled = files.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
    return [...Map.groupBy(shuffled, ({ project }) => project.name).values()].flat();
  }
}

const sequence =
  process.env.TEST_ORDER === 'random'
    ? {
        sequencer: RandomOrder,
        shuffle: { files: false, tests: true },
        seed: Number(process.env.TEST_SEED),
      }
    : { sequencer: LongFirst };

const common = {
  sequence,
  exclude: ['**/node_modules/**', '**/dist/**'],
  // What they import is loaded once for all of them, and none changes it.
  isolate: false,
  // Less time goes into collecting what lives for one request.
  execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
  // Twice as many as the smallest machine has cores: much of a test is waiting.
  maxWorkers: WORKERS,
  // What comes about on a busy machine comes later; patience.config.ts says the same for `vi.waitFor`.
  expect: { poll: { timeout: 180_000 } },
  setupFiles: [fileURLToPath(new URL('test-kit/src/patience.config.ts', import.meta.url))],
};
// As many processes take their time to start, on one machine and again after each disturbance.
const patience = process.env.TOPOLOGY === 'instances' ? 3 : 1;

const onStores = {
  // Node loads our TypeScript as it does when the product runs.
  experimental: { viteModuleRunner: false },
  globalSetup: ['stack/src/testing/global-postgres.ts'],
  // Ends what hangs. A busy machine may be three times as slow as an idle one.
  testTimeout: 600_000 * patience,
  hookTimeout: 600_000 * patience,
};

export default defineConfig({
  test: {
    reporters: process.env.TEST_SLOWEST
      ? [new QuietReporter(), new SlowestReporter()]
      : [new QuietReporter()],
    // What a test printed is shown if it fails.
    silent: 'passed-only',
    // A worker ends its product, browser and stores last, which takes long on a busy machine.
    teardownTimeout: 180_000,
    sequence,
    projects: [
      {
        extends: './web/vite.config.ts',
        test: {
          ...common,
          name: 'unit',
          // Ends what hangs; a search of hostile input takes seconds on a busy machine.
          testTimeout: 180_000,
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...common.exclude, '**/*.int.test.ts', '**/*.e2e.test.ts'],
        },
      },
      {
        test: {
          ...common,
          ...onStores,
          name: 'integration',
          include: ['**/*.int.test.ts', '**/*.e2e.test.ts'],
          exclude: [...common.exclude, ...longLeftOut()],
        },
      },
    ],
  },
});
