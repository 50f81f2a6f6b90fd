import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './projection.ts';

type Table = keyof ReadModelTables;
type Key<T extends Table> = keyof ReadModelTables[T] & string;

/**
 * Rows of a table as a source of an insert, named `r`: one parameter, however many rows there are.
 */
export const rowsOf = <T extends Table>(
  table: T,
  rows: readonly ReadModelTables[T][],
): RawBuilder<unknown> =>
  sql`jsonb_populate_recordset(null::read_model.${sql.ref(table)}, ${JSON.stringify(rows)}) r`;

/** Rows by their primary key `key`, a UUID; moments are text, as they are written. */
export async function readRows<T extends Table>(
  tx: Tx,
  table: T,
  key: Key<T>,
  ids: readonly string[],
): Promise<Map<string, ReadModelTables[T]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; row: ReadModelTables[T] }>`
    select t.${sql.ref(key)} as id, to_jsonb(t) as row from read_model.${sql.ref(table)} t
    where t.${sql.ref(key)} = any(${ids}::uuid[])
  `.execute(tx);
  return new Map(rows.map(({ id, row }) => [id, row]));
}

/** Writes whole rows, new ones and those that are there. */
export async function writeRows<T extends Table>(
  tx: Tx,
  table: T,
  key: Key<T>,
  rows: readonly ReadModelTables[T][],
): Promise<void> {
  const [sample] = rows;
  if (!sample) return;
  const changed = Object.keys(sample).filter((column) => column !== key);
  await sql`
    insert into read_model.${sql.ref(table)} select r.* from ${rowsOf(table, rows)}
    on conflict (${sql.ref(key)}) do update set ${sql.join(
      changed.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
    )}
  `.execute(tx);
}

/** Writes rows that are not there yet. */
export async function addRows<T extends Table>(
  tx: Tx,
  table: T,
  rows: readonly ReadModelTables[T][],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into read_model.${sql.ref(table)}
    select r.* from ${rowsOf(table, rows)}`.execute(tx);
}
