import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tallyhand/service-kit/free-port';
import { testAuditKey, testKey } from '@tallyhand/test-kit/backends';
import type { ApplicationConfig } from '../application/start.ts';
import { auditKeyEnvironment } from '../testing/audit-keys.ts';

const START_MS_MAX = 180_000;
const main = fileURLToPath(new URL('../application.main.ts', import.meta.url));

export type ApplicationProcess = AsyncDisposable & {
  readonly url: string;
  readonly settings: Record<'databaseUrl' | 'eventStoreUrl' | 'masterKey' | 'signingKey', string> &
    Pick<ApplicationConfig, 'auditKey'>;
  /** Resolves when it is ready. `env` holds only for this start. */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
};

/**
 * The product's application as a separate process, always at the same address. `program`: another
 * way to start it.
 */
export async function applicationProcess(
  databaseUrl: string,
  eventStoreUrl: string,
  program = main,
): Promise<ApplicationProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-application-'));
  const port = String(await freePort());
  const internalPort = String(await freePort());
  const internalToken = testKey();
  const url = `http://127.0.0.1:${port}`;
  const keys = { masterKey: testKey(), signingKey: testKey(), auditKey: testAuditKey() };
  const settings = { databaseUrl, eventStoreUrl, ...keys };
  let child: ChildProcess | null = null;

  async function kill() {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  return {
    url,
    settings,
    async start(env = {}) {
      const started = spawn(process.execPath, [program], {
        // Without the machine's own settings, which may configure a model.
        env: {
          HOST: '127.0.0.1',
          PORT: port,
          PUBLIC_URL: url,
          RATE_LIMIT_SCALE: '1000',
          DATABASE_URL: databaseUrl,
          EVENTSTORE_URL: eventStoreUrl,
          LOG_LEVEL: 'fatal',
          MASTER_KEY: settings.masterKey,
          SIGNING_KEY: settings.signingKey,
          ...auditKeyEnvironment(settings.auditKey),
          INTERNAL_TOKEN: internalToken,
          INTERNAL_PORT: internalPort,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      const lines = createInterface({ input: started.stdout });
      const signal = AbortSignal.timeout(START_MS_MAX);
      const ended = once(started, 'exit', { signal }).then(() => {
        throw new Error('The application ended before it was ready');
      });
      ended.catch(() => {});
      await Promise.race([once(lines, 'line', { signal }), ended]);
    },
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
