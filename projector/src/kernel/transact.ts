import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { isConnectionFault, isStalePlan, orRolledBack } from '@tallyhand/service-kit/postgres/pool';
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
import type { Transact } from './projection.ts';

/** Statements that may be sent together with `begin`: they leave nothing behind if it fails. */
const READS = /^\s*select\b/;

/**
 * Pipelined transactions: statements are sent immediately and in order, while Kysely's own
 * transactions wait for each answer. Only writes wait for `begin`. Statements after the end are
 * refused, because they would run outside the transaction.
 */
export function transactOn(pool: pg.Pool): Transact {
  const dialect = new PostgresDialect({ pool });
  const config = { config: { dialect }, dialect, driver: dialect.createDriver() };
  const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()];
  return (work) =>
    orRolledBack(pool, async (client) => {
      const begun = client.query('begin');
      // Reported by the statements that wait for it.
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

/** `turn` resolves when a statement may be sent. */
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

/**
 * SQLSTATE classes that are not caused by an event: connection, serialization and deadlock,
 * resources (a full disk), locks, operator intervention, system errors, corruption.
 */
const PASSING_STATE = /^(08|40|53|55|57|58|XX)[0-9A-Z]{3}$/;
const PASSING_CODE = /^(E[A-Z]+|ERR_SOCKET_.*)$/;

/** Whether a fault is independent of the event: then the whole batch is retried. */
export function isTransient(error: unknown): boolean {
  if (isConnectionFault(error) || isStalePlan(error)) return true;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return PASSING_STATE.test(code) || PASSING_CODE.test(code);
  return typeof message === 'string' && /not queryable|UNAVAILABLE|DEADLINE/.test(message);
}
