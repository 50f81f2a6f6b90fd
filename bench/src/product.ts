import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tallyhand/service-kit/free-port';
import { pssMb } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS_MAX = 120_000;
const STOP_MS_MAX = 10_000;

export type RunningProduct = {
  readonly url: string;
  /** Of the process above all others. */
  readonly pid: number;
  /** Megabytes of the whole tree of processes, shared pages counted by share; null off Linux. */
  pssMb(): number | null;
  stop(): Promise<void>;
};

/** A data folder of its own, on which the real `npm start` of `folder` is run again and again. */
export async function productFolder(env: Readonly<Record<string, string>>, folder = root) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallyhand-bench-'));
  // PostgreSQL does not run as root: where its user can't enter, its data would be elsewhere, and stay.
  await chmod(dataDir, 0o755);
  const port = await freePort();
  return {
    dataDir,
    start: () => startProduct({ ...env, DATA_DIR: dataDir, PORT: String(port) }, folder),
    // A server that ends writes until then.
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }),
  };
}

/** Resolves with the first page; the time until then is the start's. */
async function startProduct(env: Readonly<Record<string, string>>, folder: string) {
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, ...env, RATE_LIMIT_SCALE: '1000' },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${env.PORT}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - began > START_MS_MAX) {
      child.kill('SIGTERM');
      throw new Error('npm start did not come up; try it by hand to see why');
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const startMs = performance.now() - began;
  const product: RunningProduct = {
    url,
    pid: child.pid ?? 0,
    pssMb: () => (process.platform === 'linux' ? pssMb(child.pid ?? 0) : null),
    stop: () => stop(child, url),
  };
  return { product, startMs };
}

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Resolves when nothing answers any more: npm may end before the processes below it. */
async function stop(child: ChildProcess, url: string) {
  child.kill('SIGTERM');
  const deadline = performance.now() + STOP_MS_MAX;
  while ((child.exitCode === null && child.signalCode === null) || (await answers(url))) {
    if (performance.now() > deadline) throw new Error('The product did not stop');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
