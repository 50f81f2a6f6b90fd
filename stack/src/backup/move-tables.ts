import { SCHEMA } from '@tallyhand/command-service/operational/migrations';
import type pg from 'pg';
import { OperatorError } from '../operator/operator-error.ts';
import { POSITIONS } from './check-restored.ts';
import { type Dumped, dumpTable, tablesToDump } from './dump-tables.ts';
import { loadTables } from './load-tables.ts';
import type { TableEntry } from './manifest.ts';
import type { MovedPositions } from './move-events.ts';
import { withClient } from './with-client.ts';

const LINES_AT_ONCE = 500;

/** The embedded event store's position of an event, as tables keep it. */
const numberIn = (column: string) => `substring(${column} from '^C(\\d+)-')::bigint`;

/** Every position that a table keeps. */
export async function keptPositions(client: pg.Client): Promise<ReadonlySet<number>> {
  const all = POSITIONS.map(
    ({ table, column }) => `select ${numberIn(column)} as at from ${table} where ${column} <> ''`,
  );
  const { rows } = await client.query<{ at: string }>(all.join(' union '));
  return new Set(rows.map(({ at }) => Number(at)).filter((at) => at > 0));
}

/**
 * Updates the positions in tables to those of the new store, and schedules a rebuild of the read
 * models from the first event at the next start. All or nothing.
 */
export async function followEvents(client: pg.Client, moved: MovedPositions): Promise<void> {
  await client.query('begin');
  for (const { table, column } of POSITIONS) {
    await client.query(
      `update ${table} t set ${column} = m.there
       from unnest($1::bigint[], $2::text[]) as m (here, there)
       where ${numberIn(`t.${column}`)} = m.here`,
      [[...moved.keys()], [...moved.values()]],
    );
  }
  // Tables of unrecorded models are rebuilt; operators' decisions stay.
  await client.query('delete from read_model.models');
  await client.query('commit');
}

/** Throws unless nothing of a product is there. */
export async function refuseUsed(databaseUrl: string): Promise<void> {
  const isUsed = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ used: boolean }>(
      `select to_regnamespace('operational') is not null
         or to_regnamespace('read_model') is not null as used`,
    );
    return rows[0]?.used === true;
  });
  if (isUsed) throw new OperatorError('The new database is not empty. Name one that is.');
}

/**
 * Copies everything that is not built from events into an empty database, with updated positions;
 * all of it, or nothing.
 */
export async function copyTables(
  client: pg.Client,
  databaseUrl: string,
  masterKey: string,
  moved: MovedPositions,
): Promise<void> {
  await client.query('begin transaction isolation level repeatable read read only');
  await client.query('set local row_security = off');
  const { rows: steps } = await client.query<{ id: string }>(
    'select id from operational.migrations',
  );
  const tables: (Dumped & TableEntry)[] = [];
  for (const table of await tablesToDump(client)) {
    const { rows } = await client.query<{ rows: number }>(
      `select count(*)::int as rows from ${table.name} where ${table.where ?? 'true'}`,
    );
    tables.push({ ...table, columns: [...table.columns], rows: rows[0]?.rows ?? 0 });
  }
  try {
    await loadTables(databaseUrl, masterKey, {
      tables,
      migrations: steps.map(({ id }) => id),
      async *lines({ name }) {
        const table = tables.find((each) => each.name === name);
        if (table) yield* pagesOf(dumpTable(client, table));
      },
    });
    await withClient(databaseUrl, (copy) => followEvents(copy, moved));
  } catch (error) {
    await withClient(databaseUrl, (target) =>
      target.query(
        `drop schema if exists ${SCHEMA}, jobs, read_model, read_model_next, extensions cascade`,
      ),
    );
    throw error;
  }
  await client.query('commit');
}

async function* pagesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const line of lines) {
    if (page.push(line) < LINES_AT_ONCE) continue;
    yield page;
    page = [];
  }
  yield page;
}
