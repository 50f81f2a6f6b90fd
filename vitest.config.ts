import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const common = {
  exclude: ['**/node_modules/**', '**/dist/**'],
  // One more than the smallest machine has cores: tests of what runs elsewhere mostly wait.
  maxWorkers: 3,
  // What comes about on a busy machine comes later; patience.ts says the same for `vi.waitFor`.
  expect: { poll: { timeout: 20_000 } },
  setupFiles: [fileURLToPath(new URL('stack/src/testing/patience.ts', import.meta.url))],
};
// As many processes take their time to start, on one machine and again after each disturbance.
const patience = process.env.TOPOLOGY === 'instances' ? 3 : 1;
const globalSetup = ['stack/src/testing/global-postgres.ts'];

export default defineConfig({
  test: {
    reporters: ['dot'],
    projects: [
      {
        extends: './web/vite.config.ts',
        test: {
          ...common,
          name: 'unit',
          // What they import is loaded once for all of them, and none changes it.
          isolate: false,
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...common.exclude, '**/*.int.test.ts', '**/*.e2e.test.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'integration',
          include: ['**/*.int.test.ts'],
          globalSetup,
          testTimeout: 60_000 * patience,
          hookTimeout: 120_000 * patience,
        },
      },
      {
        test: {
          ...common,
          name: 'end-to-end',
          include: ['**/*.e2e.test.ts'],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
