import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { Child } from '@tallyhand/test-kit/child';
import { runOperator } from '../testing/operator.ts';

type Env = Readonly<Record<string, string>>;

/** A folder that PostgreSQL's own user can enter, removed at the end. */
export async function sharedFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tallyhand-faults-'));
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

export type SupervisedProduct = AsyncDisposable & {
  readonly url: string;
  readonly dataDir: string;
};

/** The product as `npm start` runs it on a data folder; resolves when it is ready. */
export async function startSupervised(dataDir: string, env: Env = {}): Promise<SupervisedProduct> {
  const port = await freePort();
  const child = new Child([fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...readEnvironment(),
      DATA_DIR: dataDir,
      PORT: `${port}`,
      RATE_LIMIT_SCALE: '1000',
      ...env,
    },
  });
  await child.says(/Tallyhand is ready/);
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    async [Symbol.asyncDispose]() {
      await child.end('SIGTERM');
    },
  };
}

/** Runs an operator's command on a data folder, as a separate process. */
export const runOn = (dataDir: string, env: Env, ...args: readonly string[]) =>
  runOperator({ PATH: readEnvironment().PATH, DATA_DIR: dataDir, ...env }, ...args);
