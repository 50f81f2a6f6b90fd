import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { vi } from 'vitest';
import { waitUntilGone } from '../postgres/process-table.ts';
import { runOperator } from '../testing/operator.ts';

const START_MS_MAX = 180_000;
const STOP_MS_MAX = 60_000;

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
  readonly child: ChildProcess;
};

/** The product as `npm start` runs it on a data folder; resolves when it is ready. */
export async function startSupervised(dataDir: string, env: Env = {}): Promise<SupervisedProduct> {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...readEnvironment(),
      DATA_DIR: dataDir,
      PORT: `${port}`,
      RATE_LIMIT_SCALE: '1000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await vi.waitUntil(() => said.includes('Tallyhand is ready') || hasEnded(), {
    timeout: START_MS_MAX,
    interval: 50,
  });
  if (hasEnded()) throw new Error(said);
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await waitUntilGone(child.pid ?? 0, STOP_MS_MAX);
    },
  };
}

/** Runs an operator's command on a data folder, as a separate process. */
export const runOn = (dataDir: string, env: Env, ...args: readonly string[]) =>
  runOperator({ PATH: readEnvironment().PATH, DATA_DIR: dataDir, ...env }, ...args);
