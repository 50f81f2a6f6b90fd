import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { errorFields, type Log } from '../log.ts';

const RECONNECT_MS = 1_000;
/** The interval at which a standby tries to take over. */
const LOOK_MS = 250;

/**
 * Elects one of several processes for a job: the one that holds the advisory lock. `run` starts the
 * job when the lock is acquired; its result is stopped when the lock is lost.
 */
export function whileActive(options: {
  url: string;
  lock: number;
  name: string;
  log: Log;
  run: () => Promise<AsyncDisposable>;
}): AsyncDisposable & { readonly active: Promise<void> } {
  const { url, lock, name, log, run } = options;
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve());
  });
  const rest = (ms: number) => pause(ms, undefined, { signal: stop.signal }).catch(() => {});
  const active = Promise.withResolvers<void>();

  async function hold(): Promise<void> {
    const client = new pg.Client({ connectionString: url, keepAlive: true });
    client.on('error', () => {});
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    await client.connect();
    try {
      // A statement that waits for the lock would keep PostgreSQL from clearing old rows away.
      while (!stop.signal.aborted && !(await tryLock(client, lock))) await rest(LOOK_MS);
      if (stop.signal.aborted) return;
      await using _job = await run();
      active.resolve();
      await Promise.race([lost, stopped]);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async function loop() {
    while (!stop.signal.aborted) {
      await hold().catch((error) => log.warn(`${name}: not active`, errorFields(error)));
      await rest(RECONNECT_MS);
    }
  }

  const done = loop();
  return {
    active: active.promise,
    async [Symbol.asyncDispose]() {
      stop.abort();
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
