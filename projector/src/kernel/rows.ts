import { type Camel, type Columns, camel } from '@tallyhand/read-models/kernel/columns';
import { type ReadModelTables, tables } from '@tallyhand/read-models/read-models';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './projection.ts';

type Table = keyof ReadModelTables;

/** The columns of a row `R` that data `D` fills by name: `createdBy` fills `created_by`. */
type NamedIn<R, D> = {
  [C in keyof R]: Camel<C> extends keyof D ? (D[Camel<C>] extends R[C] ? C : never) : never;
}[keyof R];
type Nullable<R> = { [C in keyof R]: null extends R[C] ? C : never }[keyof R];

/** The columns of a new row that must be given: no name fills them, and they may not be null. */
export type Unnamed<R, D> = Omit<R, NamedIn<R, D> | Nullable<R> | 'created_at'> & Partial<R>;

/** The columns of each table by the names of the event fields that fill them. */
const columnsByField = new Map(
  Object.entries(tables).map(([table, { columns }]) => [
    table,
    new Map(Object.keys(columns).map((column) => [camel(column), column])),
  ]),
);

/** The columns that the fields of an event fill by name. */
export function namedColumns<T extends Table>(
  table: T,
  data: unknown,
): Partial<ReadModelTables[T]> {
  const named: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(data as object)) {
    const column = columnsByField.get(table)?.get(field);
    if (column !== undefined && value !== undefined) named[column] = value;
  }
  return named as Partial<ReadModelTables[T]>;
}

/** A new row: by name from the event, created at `at`, and null where nothing is said. */
export function newRow<T extends Table>(
  table: T,
  data: unknown,
  at: string,
  given: Partial<ReadModelTables[T]>,
): ReadModelTables[T] {
  const { columns }: { readonly columns: Columns } = tables[table];
  const empty = Object.entries(columns).flatMap(([name, { isNullable }]) =>
    isNullable ? [[name, null]] : [],
  );
  const created = 'created_at' in columns ? { created_at: at } : {};
  const known = Object.assign(Object.fromEntries(empty), created, namedColumns(table, data));
  return changedRow(known, given);
}

/** A row with other values; what is undefined stays as it is. */
export function changedRow<R extends object>(row: R, changes: Partial<R>): R {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.assign({}, row, Object.fromEntries(defined));
}

/** The one column of the primary key. */
function keyOf(table: Table): string {
  const { key = [] } = tables[table];
  const [column] = key;
  if (!column || key.length > 1) throw new Error(`${table} has no key of one column`);
  return column;
}

/**
 * Rows of a table as a source of an insert, named `r`: one parameter, however many rows there are.
 */
export const rowsOf = <T extends Table>(
  table: T,
  rows: readonly ReadModelTables[T][],
): RawBuilder<unknown> =>
  sql`jsonb_populate_recordset(null::read_model.${sql.ref(table)}, ${JSON.stringify(rows)}) r`;

/** Rows by their key, a UUID; moments are text, as they are written. */
export async function readRows<T extends Table>(
  tx: Tx,
  table: T,
  ids: readonly string[],
): Promise<Map<string, ReadModelTables[T]>> {
  if (ids.length === 0) return new Map();
  const key = sql.ref(keyOf(table));
  const { rows } = await sql<{ id: string; row: ReadModelTables[T] }>`
    select t.${key} as id, to_jsonb(t) as row from read_model.${sql.ref(table)} t
    where t.${key} = any(${ids}::uuid[])
  `.execute(tx);
  return new Map(rows.map(({ id, row }) => [id, row]));
}

/** Writes whole rows, new and existing ones. */
export async function writeRows<T extends Table>(
  tx: Tx,
  table: T,
  rows: readonly ReadModelTables[T][],
): Promise<void> {
  if (rows.length === 0) return;
  const key = keyOf(table);
  const others = Object.keys(tables[table].columns).filter((column) => column !== key);
  await sql`
    insert into read_model.${sql.ref(table)} select r.* from ${rowsOf(table, rows)}
    on conflict (${sql.ref(key)}) do update set ${sql.join(
      others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
    )}
  `.execute(tx);
}

/** Writes rows that do not exist yet. */
export async function addRows<T extends Table>(
  tx: Tx,
  table: T,
  rows: readonly ReadModelTables[T][],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into read_model.${sql.ref(table)}
    select r.* from ${rowsOf(table, rows)}`.execute(tx);
}
