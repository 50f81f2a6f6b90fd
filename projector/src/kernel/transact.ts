import type { ReadModelTables } from '@tallyhand/read-models/database';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  Transaction,
} from 'kysely';
import type pg from 'pg';
import type { Tx } from './projection.ts';

/** Does `work` in a transaction: all of it, or nothing. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Transactions whose statements go out in the order in which they are asked for, at once: Kysely's
 * own would hold each back until the one before it is answered. What comes after the end is refused,
 * as it would be a transaction of its own.
 */
export function transactOn(pool: pg.Pool): Transact {
  const dialect = new PostgresDialect({ pool });
  const config = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()];
  return (work) =>
    inTransaction(pool, async (client) => {
      let isOver = false;
      const connection = connectionOf(client);
      const executor = new DefaultQueryExecutor(compiler, adapter, {
        provideConnection: async (use) => {
          if (isOver) throw new Error('The transaction is over');
          return use(connection);
        },
      });
      try {
        return await work(new Transaction<ReadModelTables>({ ...config, executor }));
      } finally {
        isOver = true;
      }
    });
}

const connectionOf = (client: pg.PoolClient): DatabaseConnection => ({
  async executeQuery<R>({ sql, parameters }: CompiledQuery) {
    const { rows } = await client.query(sql, [...parameters]);
    return { rows: rows as R[] };
  },
  streamQuery() {
    throw new Error('Rows are not streamed here');
  },
});
