import pg from 'pg';

/** Reads of one turn of the event loop that share a connection. */
const TOGETHER_MAX = 4;
/** A connection whose statement takes longer gets no more reads while another is free. */
const SLOW_MS = 20;
/** Further reads are refused: their callers would have given up before an answer. */
const WAITING_MAX = 2_000;
const CONNECT_MS_MAX = 5_000;

export type Statement = {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
};

/** Runs a statement in its own transaction. */
export type StatementRunner = {
  query<R extends pg.QueryResultRow>(statement: Statement): Promise<{ readonly rows: R[] }>;
};

export type ReadLines = StatementRunner & AsyncDisposable;

type Asked = {
  readonly statement: Statement;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Pipelined connections for many short reads. Reads of the same turn of the event loop are written
 * together: one write and one wake-up of the backend for each would take longer than most reads do.
 * Each read is still its own transaction.
 */
export function openReadLines(url: string, connectionsMax: number): ReadLines {
  const lines = Array.from({ length: connectionsMax }, () => new Line(url));
  let asked: Asked[] = [];

  function sendAsked() {
    const all = asked;
    asked = [];
    for (let at = 0; at < all.length; at += TOGETHER_MAX) {
      const now = performance.now();
      const line = lines.reduce((best, each) => (each.load(now) < best.load(now) ? each : best));
      line.send(all.slice(at, at + TOGETHER_MAX));
    }
  }

  return {
    query<R extends pg.QueryResultRow>(statement: Statement) {
      const waiting = lines.reduce((sum, line) => sum + line.waiting, asked.length);
      if (waiting >= WAITING_MAX) return Promise.reject(new CrowdedError());
      if (asked.length === 0) setImmediate(sendAsked);
      return new Promise<pg.QueryResult<R>>((resolve, reject) => {
        asked.push({ statement, resolve: resolve as Asked['resolve'], reject });
      });
    },
    async [Symbol.asyncDispose]() {
      sendAsked();
      await Promise.all(lines.map((line) => line.end()));
    },
  };
}

/** Handled like an unreachable database: the caller may retry. */
class CrowdedError extends Error {
  /** PostgreSQL's code for too many connections. */
  readonly code = '53300';
  constructor() {
    super('Too many reads wait for the database');
  }
}

class Line {
  readonly #url: string;
  #client: Promise<pg.Client> | null = null;
  /** The number of unanswered reads; `#since` is when the first of them started. */
  waiting = 0;
  #since = 0;

  constructor(url: string) {
    this.#url = url;
  }

  load(now: number): number {
    const isSlow = this.waiting > 0 && now - this.#since > SLOW_MS;
    return isSlow ? WAITING_MAX + this.waiting : this.waiting;
  }

  async send(asked: readonly Asked[]): Promise<void> {
    if (this.waiting === 0) this.#since = performance.now();
    this.waiting += asked.length;
    this.#client ??= this.#connect();
    try {
      const client = await this.#client;
      const { stream } = client.connection;
      stream.cork();
      for (const one of asked) this.#settle(one, client.query<never>(one.statement));
      stream.uncork();
    } catch (error) {
      for (const one of asked) this.#settle(one, Promise.reject(error));
    }
  }

  #settle({ resolve, reject }: Asked, answer: Promise<pg.QueryResult>): void {
    const next = () => {
      this.waiting -= 1;
      this.#since = performance.now();
    };
    answer.finally(next).then(resolve, reject);
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      keepAlive: true,
      pipeline: true,
    });
    const connected = client.connect().then(
      () => client,
      (error) => {
        forget();
        throw error;
      },
    );
    // Reads on a lost connection are rejected; the next read opens a new connection.
    const forget = () => {
      if (this.#client === connected) this.#client = null;
    };
    client.on('error', forget).on('end', forget);
    return connected;
  }

  async end(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    await client?.end();
  }
}
