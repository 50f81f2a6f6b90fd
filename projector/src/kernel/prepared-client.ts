import pg from 'pg';

/** Statements that a connection prepares; further ones are planned on each call. */
const PREPARED_MAX = 300;

/**
 * A connection that prepares and pipelines its statements. Statements of one turn of the event loop
 * go out in one write: one write and one wake-up of the backend for each would take longer than
 * most statements do.
 */
export class PreparedClient extends pg.Client {
  readonly #names = new Map<string, string>();
  #isGathering = false;

  constructor(config?: string | pg.ClientConfig) {
    super({
      ...(typeof config === 'string' ? { connectionString: config } : config),
      pipeline: true,
    });
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const prepared = (...[text, values, ...rest]: unknown[]) => {
      this.#gather();
      const name = typeof text === 'string' && Array.isArray(values) && this.#nameOf(text, values);
      return name ? query({ name, text, values }, ...rest) : query(text, values, ...rest);
    };
    this.query = prepared as typeof this.query;
  }

  #gather() {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.connection;
    stream.cork();
    // After all promises that can settle now, so that their statements are included.
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  #nameOf(text: string, values: readonly unknown[]): string | null {
    if (values.length === 0) return null;
    const known = this.#names.get(text);
    if (known || this.#names.size >= PREPARED_MAX) return known ?? null;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
