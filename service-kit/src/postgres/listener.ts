import { Socket } from 'node:net';
import pg from 'pg';
import { errorFields, type Log } from '../log.ts';

const RECONNECT_MS = 250;

/** How often a connection is checked that says nothing, and how long it has for an answer. */
type Check = { readonly everyMs: number; readonly answerMs: number };
const CHECK: Check = { everyMs: 10_000, answerMs: 15_000 };

export type Listener = AsyncDisposable;

type Options = {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotification: (channel: string, payload: string) => void;
  readonly onConnect: (client: pg.Client) => Promise<void>;
  readonly log: Log;
  readonly check?: Check;
};

/** By the address of the database and role: listeners of a process share a connection. */
const open = new Map<string, SharedConnection>();

/**
 * Receives notifications on `channels`. `onConnect` runs after each (re)connection: read there what
 * was missed in between, in few short statements, since all listeners of this process and `url` share
 * one connection, which reconnects when it is lost, also where the network does not say so.
 */
export async function listen(options: Options): Promise<Listener> {
  const known = open.get(options.url);
  const connection = known ?? new SharedConnection(options.url, options.check ?? CHECK);
  open.set(options.url, connection);
  return connection.add(options);
}

class SharedConnection {
  readonly #url: string;
  readonly #check: Check;
  readonly #listeners = new Set<Options>();
  /** Those whose turn to join has come. */
  readonly #joined = new Set<Options>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(url: string, check: Check) {
    this.#url = url;
    this.#check = check;
  }

  async add(listener: Options): Promise<Listener> {
    this.#listeners.add(listener);
    try {
      await this.#inTurn(async () => {
        this.#joined.add(listener);
        await (this.#client ? begin(this.#client, listener) : this.#connect());
      });
    } catch (error) {
      await this.#remove(listener);
      throw error;
    }
    return { [Symbol.asyncDispose]: () => this.#remove(listener) };
  }

  /** The last one closes the connection. */
  async #remove(listener: Options): Promise<void> {
    this.#listeners.delete(listener);
    this.#joined.delete(listener);
    if (this.#listeners.size > 0) return;
    open.delete(this.#url);
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  /** Listeners join one after the other, and not while the connection is being made. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer);
    const socket = new Socket();
    const stream = () => socket;
    const next = new pg.Client({ connectionString: this.#url, keepAlive: true, stream });
    next.on('notification', ({ channel, payload }) => {
      for (const { channels, onNotification } of this.#joined) {
        if (channels.includes(channel)) onNotification(channel, payload ?? '');
      }
    });
    next.on('error', () => {});
    next.on('end', () => {
      clearInterval(checking);
      if (this.#client === next) this.#again();
    });
    const checking = setInterval(() => {
      const silent = setTimeout(() => socket.destroy(), this.#check.answerMs);
      const answered = () => clearTimeout(silent);
      this.#inTurn(async () => void (await this.#client?.query('select'))).then(answered, answered);
    }, this.#check.everyMs);
    try {
      await next.connect();
      this.#client = next;
      for (const listener of this.#joined) await begin(next, listener);
      if (this.#listeners.size === 0) throw new Error('The listener was closed while it connected');
    } catch (error) {
      clearInterval(checking);
      this.#again();
      await next.end().catch(() => {});
      throw error;
    }
  }

  #again(): void {
    this.#client = undefined;
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.#reconnect(), RECONNECT_MS);
  }

  #reconnect(): void {
    this.#inTurn(async () => {
      if (this.#listeners.size > 0 && !this.#client) await this.#connect();
    }).catch((error) => {
      const [first] = this.#listeners;
      first?.log.warn('listener could not connect', errorFields(error));
    });
  }
}

async function begin(client: pg.Client, { channels, onConnect }: Options): Promise<void> {
  for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  await onConnect(client);
}
