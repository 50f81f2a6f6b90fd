import pg from 'pg';
import type { TableEntry } from './manifest.ts';

const ROWS_AT_ONCE_MAX = 1_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** A table to store; `where` omits useless rows. */
export type Dumped = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly where?: string;
};

/**
 * Beside the operational schema: data that is not in events. Finished rows of `job` are useless.
 */
const OTHERS: Readonly<Record<string, string>> = {
  'jobs.job': "state in ('created', 'retry', 'active')",
  'read_model.skipped_events': 'true',
};

/** The manifest records the migrations. */
const LEFT_OUT = 'operational.migrations';

/** The tables to store, in the order of their creation: referenced rows come first. */
export async function tablesToDump(client: pg.Client): Promise<Dumped[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select format('%s.%s', n.nspname, c.relname) as name, array(
       select a.attname::text from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and (n.nspname = 'operational' or format('%s.%s', n.nspname, c.relname) = any($1))
     order by c.oid`,
    [Object.keys(OTHERS)],
  );
  return rows
    .filter(({ name }) => name !== LEFT_OUT)
    .map((table) => {
      const where = OTHERS[table.name];
      return where ? { ...table, where } : table;
    });
}

/** The rows as JSON lines, read in the connection's transaction. */
export async function* dumpTable(
  client: pg.Client,
  { name, columns, where = 'true' }: Dumped,
): AsyncGenerator<string> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  await client.query(
    `declare dump no scroll cursor for
     select row_to_json(t)::text as line from (select ${list} from ${name} where ${where}) t`,
  );
  let count = 1;
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${count} from dump`);
    let bytes = 1;
    for (const { line } of rows) {
      bytes += line.length;
      yield line;
    }
    if (rows.length < count) break;
    // Rows with pictures come a few at a time, short ones by the thousand.
    count = Math.max(1, Math.min(ROWS_AT_ONCE_MAX, Math.floor((BYTES_AT_ONCE / bytes) * count)));
  }
  await client.query('close dump');
}

/** Adds rows to a table; columns that the table no longer has are left out. */
export async function loadRows(
  client: pg.Client,
  { name, columns }: Pick<TableEntry, 'name' | 'columns'>,
  lines: readonly string[],
): Promise<void> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  for (const batch of batchesOf(lines)) {
    await client.query(
      `insert into ${name} (${list})
       select ${list} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${batch.join(',')}]`],
    );
  }
}

function* batchesOf(lines: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    batch.push(line);
    bytes += line.length;
    if (batch.length < ROWS_AT_ONCE_MAX && bytes < BYTES_AT_ONCE) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
