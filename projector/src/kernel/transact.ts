import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { orRolledBack } from '@tallyhand/service-kit/postgres/pool';
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type RawBuilder,
  Transaction,
} from 'kysely';
import type pg from 'pg';
import type { Tx } from './projection.ts';

/** Takes a statement that goes out together with the commit, after all others. */
export type AtEnd = (statement: RawBuilder<unknown>) => void;

/** Does `work` in a transaction: all of it, or nothing. */
export type Transact = <T>(work: (tx: Tx, atEnd: AtEnd) => Promise<T>) => Promise<T>;

/** What may go out beside `begin`: were that refused, it would leave nothing behind. */
const READS = /^\s*select\b/;

/**
 * Transactions whose statements go out in the order in which they are asked for, at once: Kysely's
 * own would hold each back until the one before it is answered. Only what writes waits until the
 * transaction has begun. What comes after the end is refused, as it would be a transaction of its
 * own.
 */
export function transactOn(pool: pg.Pool): Transact {
  const dialect = new PostgresDialect({ pool });
  const config = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()];
  return (work) =>
    orRolledBack(pool, async (client) => {
      const begun = client.query('begin');
      // Told by whatever waits for it, and that comes to an end in any case.
      begun.catch(() => {});
      let waits = false;
      let isOver = false;
      const connection = connectionOf(client, async (statement) => {
        waits ||= !READS.test(statement);
        if (waits) await begun;
        if (isOver) throw new Error('The transaction is over');
      });
      const executor = new DefaultQueryExecutor(compiler, adapter, {
        provideConnection: async (use) => use(connection),
      });
      const tx = new Transaction<ReadModelTables>({ ...config, executor });
      const last: CompiledQuery[] = [];
      try {
        const result = await work(tx, (statement) => last.push(statement.compile(tx)));
        await begun;
        isOver = true;
        const ending = last.map(({ sql, parameters }) => client.query(sql, [...parameters]));
        const [{ command }] = await Promise.all([client.query('commit'), ...ending]);
        if (command !== 'COMMIT') throw new Error('A statement failed: nothing was committed');
        return result;
      } finally {
        isOver = true;
      }
    });
}

/** `turn` resolves when a statement may go out. */
const connectionOf = (
  client: pg.PoolClient,
  turn: (statement: string) => Promise<void>,
): DatabaseConnection => ({
  async executeQuery<R>({ sql, parameters }: CompiledQuery) {
    await turn(sql);
    const { rows } = await client.query(sql, [...parameters]);
    return { rows: rows as R[] };
  },
  streamQuery() {
    throw new Error('Rows are not streamed here');
  },
});
