import { PreparedClient } from '@tallyhand/service-kit/postgres/prepared-client';
import type pg from 'pg';

/**
 * A connection that prepares and pipelines its statements. Statements of one turn of the event loop
 * go out in one write: one write and one wake-up of the backend for each would take longer than
 * most statements do.
 */
export class PipelinedClient extends PreparedClient {
  #isGathering = false;

  constructor(config?: string | pg.ClientConfig) {
    super({
      ...(typeof config === 'string' ? { connectionString: config } : config),
      pipeline: true,
    });
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const gathered = (...args: unknown[]) => {
      this.#gather();
      return query(...args);
    };
    this.query = gathered as typeof this.query;
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
}
