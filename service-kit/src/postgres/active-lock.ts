import pg from 'pg';
import { errorFields, type Log } from '../log.ts';

const RETRY_MS = 1_000;

/**
 * Of several processes that could do a job, one does it: whoever holds the advisory lock. `run`
 * starts the job when the lock is won; what it returns is stopped when the lock is lost.
 */
export function whileActive(options: {
  url: string;
  lock: number;
  name: string;
  log: Log;
  run: () => Promise<AsyncDisposable>;
}): AsyncDisposable & { readonly active: Promise<void> } {
  const { url, lock, name, log, run } = options;
  let closed = false;
  let wakeUp = () => {};
  let client: pg.Client | undefined;
  const active = Promise.withResolvers<void>();

  async function hold(): Promise<void> {
    const closing = new Promise<void>((resolve) => (wakeUp = resolve));
    client = new pg.Client({ connectionString: url, keepAlive: true });
    client.on('error', () => {});
    const lost = new Promise<void>((resolve) => client?.once('end', resolve));
    await client.connect();
    try {
      if (!(await tryLock(client, lock)) || closed) return;
      await using _job = await run();
      active.resolve();
      await Promise.race([lost, closing]);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async function loop() {
    while (!closed) {
      await hold().catch((error) => log.warn(`${name}: not active`, errorFields(error)));
      if (!closed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, RETRY_MS);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
  }

  const done = loop();
  return {
    active: active.promise,
    async [Symbol.asyncDispose]() {
      closed = true;
      wakeUp();
      await done;
    },
  };
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ won: boolean }>('select pg_try_advisory_lock($1) as won', [
    lock,
  ]);
  return rows[0]?.won === true;
}
