import pg from 'pg';

/** Statements of which one connection keeps the plan; what comes after them is planned each time. */
const PREPARED_MAX = 300;

/**
 * A connection for the same statements again and again: each is parsed once, and several may be
 * under way at a time, answered in their order. Those of one turn go out in one write: a write for
 * each, and a backend woken for each, would take longer than most of them do.
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
    // After all promises that can be settled now: what they ask for goes with it.
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
