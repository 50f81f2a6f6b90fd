import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tallyhand/service-kit/free-port';
import { testAuditKey, testKey } from '@tallyhand/test-kit/backends';
import { Child } from '@tallyhand/test-kit/child';
import type { ApplicationConfig } from '../application/start.ts';
import { auditKeyEnvironment } from '../testing/audit-keys.ts';

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
  let child: Child | null = null;
  const kill = async () => void (await child?.end('SIGKILL'));

  return {
    url,
    settings,
    async start(env = {}) {
      child = new Child([program], {
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
      await child.says(/\n/);
    },
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
