import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { z } from 'zod';
import { errorFields, type Log } from '../log.ts';
import { listen } from '../postgres/listener.ts';
import { type KeyCalls, type KeyCallsOptions, type KeyCosts, keyCalls } from './key-calls.ts';

/** PostgreSQL passes on less than 8,000 bytes at a time; a key and its cost take about 80. */
const KEYS_AT_ONCE = 80;

const Payload = z.object({
  process: z.uuid(),
  minute: z.int(),
  costs: z.array(z.tuple([z.string().max(100), z.int().min(0)])).max(KEYS_AT_ONCE),
});

export type SharedKeyCallsOptions = Omit<KeyCallsOptions, 'share'> & {
  /** Shared among instances of this service only. */
  readonly service: string;
  readonly pool: pg.Pool;
  /** Of the same database: for listening. */
  readonly url: string;
  readonly log: Log;
};

/**
 * Like keyCalls, counted by all instances of a service together: each reports to the others about
 * once a second, through PostgreSQL's notifications, so a key may exceed its limit by the calls of
 * a second. Nothing is stored: it is useless after its minute.
 */
export async function sharedKeyCalls(options: SharedKeyCallsOptions): Promise<KeyCalls> {
  const { service, pool, url, log, ...own } = options;
  const channel = `key_calls_${service}`;
  const process = randomUUID();

  async function share({ minute, costs }: KeyCosts) {
    const payloads = [];
    for (let from = 0; from < costs.length; from += KEYS_AT_ONCE) {
      const some = costs.slice(from, from + KEYS_AT_ONCE);
      payloads.push(JSON.stringify({ process, minute, costs: some }));
    }
    try {
      await pool.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [
        channel,
        payloads,
      ]);
    } catch (error) {
      log.warn('other instances were not notified of calls with keys', errorFields(error));
    }
  }

  const calls = keyCalls({ ...own, share });
  const listening = await listen({
    url,
    log,
    channels: [channel],
    // Instances that keep being called report missed counts again.
    onConnect: async () => {},
    onNotification(_, text) {
      const payload = parsed(text);
      if (payload && payload.process !== process) calls.addFrom(payload.process, payload);
    },
  });
  return {
    ...calls,
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
      await calls[Symbol.asyncDispose]();
    },
  };
}

/** Any connection may notify: unknown notifications are ignored. */
function parsed(text: string): z.infer<typeof Payload> | null {
  try {
    return Payload.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
