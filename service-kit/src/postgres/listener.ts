import pg from 'pg';
import { errorFields, type Log } from '../log.ts';

const RECONNECT_MS = 250;

export type Listener = AsyncDisposable;

/**
 * Receives notifications on `channels` over a dedicated connection, which reconnects when it is
 * lost. `onConnect` runs after each (re)connection: read there what was missed in between.
 */
export async function listen(options: {
  url: string;
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  onConnect: (client: pg.Client) => Promise<void>;
  log: Log;
}): Promise<Listener> {
  const { url, channels, onNotification, onConnect, log } = options;
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true });
    next.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''));
    next.on('error', () => {});
    next.on('end', () => {
      if (client === next) again();
    });
    try {
      await next.connect();
      client = next;
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      await onConnect(next);
      if (closed) throw new Error('The listener was closed while it connected');
    } catch (error) {
      client = undefined;
      await next.end().catch(() => {});
      throw error;
    }
  }

  function again() {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      connect().catch((error) => {
        if (closed) return;
        log.warn('listener could not connect', errorFields(error));
        again();
      });
    }, RECONNECT_MS);
  }

  await connect();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
