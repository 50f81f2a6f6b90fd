import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { storeUrl } from '@tallyhand/event-store/env';
import pg from 'pg';
import { passwordSettings } from '../../event-store/src/env.ts';
import { migrate } from '../../stack/src/application/migrate.ts';
import { startPostgres } from '../../stack/src/postgres/start-postgres.ts';
import { eventStoreUsers } from '../../stack/src/supervisor/embedded-servers.ts';

const START_MS_MAX = 20_000;
const eventStoreProgram = fileURLToPath(new URL('../../event-store/src/main.ts', import.meta.url));

/** What the command side needs to be opened. */
export type KitSettings = {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly masterKey: string;
  readonly signingKey: string;
  readonly auditKey: { readonly kind: 'setting'; readonly pem: string };
};

export type Backends = AsyncDisposable & {
  readonly kit: KitSettings;
  /** Empty databases on the same server, for the other sides. */
  readonly walletUrl: string;
  readonly emmettUrl: string;
};

/** The event store and PostgreSQL as the product runs them, each in processes of its own. */
export async function startBackends(): Promise<Backends> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-ledger-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(folder, 0o755);
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = opening.adopt(
    await startPostgres({ dataDir: join(folder, 'postgres'), password: 'for the bench' }),
    (server) => server.stop(),
  );
  const masterKey = randomBytes(32).toString('base64url');
  const eventStore = opening.use(await startEventStore(join(folder, 'events'), masterKey));
  const eventStoreUrl = eventStore.url;
  const [databaseUrl, walletUrl, emmettUrl] = await makeDatabases(postgres.url);
  await migrate(databaseUrl, masterKey);
  const signingKey = randomBytes(32).toString('base64url');
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const auditKey = { kind: 'setting', pem } as const;
  const opened = opening.move();
  return {
    kit: { databaseUrl, eventStoreUrl, masterKey, signingKey, auditKey },
    walletUrl,
    emmettUrl,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function makeDatabases(superuserUrl: string) {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  const made = async (name: string) => {
    await client.query(`create database ${name}`);
    const url = new URL(superuserUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  try {
    return [await made('product'), await made('wallet'), await made('emmett')] as const;
  } finally {
    await client.end();
  }
}

/** The event store in a process of its own; `masterKey` null: without users and TLS. */
export async function startEventStore(dataDir: string, masterKey: string | null) {
  const users = masterKey === null ? null : eventStoreUsers(masterKey);
  const args = [eventStoreProgram, '--port', '0', '--data', dataDir];
  const child = spawn(process.execPath, users ? args : [...args, '--insecure'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(users && passwordSettings(users)) },
  });
  const signal = AbortSignal.timeout(START_MS_MAX);
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line', { signal });
  const port = Number(/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]);
  if (!port) throw new Error(`The event store said: ${line}`);
  return {
    pid: child.pid ?? 0,
    url: storeUrl({ port, dataDir, users }, 'writer'),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
