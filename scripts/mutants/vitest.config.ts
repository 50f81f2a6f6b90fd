import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Unit tests of the services, in the copy of the project that holds the mutants. */
export default defineConfig({
  root,
  resolve: {
    // The packages' links in node_modules lead to the project itself, which has no mutants.
    alias: [{ find: /^@tallyhand\/([^/]+)\/(.+)$/, replacement: `${root}$1/src/$2.ts` }],
  },
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'web/**', '**/*.int.test.ts', '**/*.e2e.test.ts'],
    env: { TEST_SEED: '1' },
  },
});
