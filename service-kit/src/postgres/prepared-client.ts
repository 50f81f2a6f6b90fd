import pg from 'pg';

/** Statements that a connection prepares; further ones are planned on each call. */
const PREPARED_MAX = 300;
/** The best plan of a queue's statement depends on how full the queue is at the moment. */
const OF_A_QUEUE = /\bskip locked\b/i;

/** A connection that prepares each statement with parameters when it first occurs. */
export class PreparedClient extends pg.Client {
  readonly #names = new Map<string, string>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const prepared = (...[text, values, ...rest]: unknown[]) => {
      const name = typeof text === 'string' && Array.isArray(values) && this.#nameOf(text, values);
      return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest);
    };
    this.query = prepared as typeof this.query;
  }

  #nameOf(text: string, values: readonly unknown[]): string | null {
    // Without parameters it may be several statements at once, or one that never comes again.
    if (values.length === 0) return null;
    const known = this.#names.get(text);
    if (known || this.#names.size >= PREPARED_MAX) return known ?? null;
    if (OF_A_QUEUE.test(text)) return null;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
