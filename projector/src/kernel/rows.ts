import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { type Camel, type Columns, camel, sortKeyOf } from '@tallyhand/read-models/kernel/columns';
import { type ReadModelTables, tables } from '@tallyhand/read-models/read-models';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from './projection.ts';

type Table = keyof ReadModelTables;

/** The columns of a row `R` that data `D` fills by name: `createdBy` fills `created_by`. */
type NamedIn<R, D> = {
  [C in keyof R]: Camel<C> extends keyof D ? (D[Camel<C>] extends R[C] ? C : never) : never;
}[keyof R];
/** The columns whose field is ciphertext: a row needs the revealed text. */
type SealedIn<R, D> = {
  [C in keyof R]: Camel<C> extends keyof D
    ? NonNullable<D[Camel<C>]> extends Ciphertext
      ? C
      : never
    : never;
}[keyof R];
type Nullable<R> = { [C in keyof R]: null extends R[C] ? C : never }[keyof R];

/** The columns that every row gets. */
const OWN_COLUMNS = ['created_at', 'updated_at', 'sort_key'] as const;

/** The columns of a new row that must be given: no name fills them, and they may not be null. */
export type Unnamed<R, D> = Omit<
  R,
  Exclude<NamedIn<R, D> | Nullable<R> | (typeof OWN_COLUMNS)[number], SealedIn<R, D>>
> &
  Partial<R>;

type Shape = {
  /** The columns by the names of the event fields that fill them. */
  readonly columnOf: ReadonlyMap<string, string>;
  /** The nullable columns, null. */
  readonly empty: Readonly<Record<string, null>>;
  /** Those of the moments that a table has. */
  readonly times: readonly ('created_at' | 'updated_at')[];
  /** The column whose name is the source of the sort key. */
  readonly sortedBy?: string | undefined;
};

/** Computed once: rows are made for every event. */
const shapes = new Map(
  Object.entries<{ readonly columns: Columns }>(tables).map(
    ([table, { columns }]): [string, Shape] => {
      const names = Object.keys(columns);
      const nullable = names.filter((name) => columns[name]?.isNullable);
      return [
        table,
        {
          columnOf: new Map(names.map((name) => [camel(name), name])),
          empty: Object.fromEntries(nullable.map((name) => [name, null])),
          times: (['created_at', 'updated_at'] as const).filter((name) => names.includes(name)),
          sortedBy: names.includes('sort_key')
            ? ['name', 'title'].find((name) => names.includes(name))
            : undefined,
        },
      ];
    },
  ),
);

function shapeOf(table: Table): Shape {
  const shape = shapes.get(table);
  if (!shape) throw new Error(`There is no table ${table}`);
  return shape;
}

function fill(row: Record<string, unknown>, { columnOf }: Shape, data: object) {
  const fields = data as Readonly<Record<string, unknown>>;
  for (const field in fields) {
    const value = fields[field];
    const column = value === undefined ? undefined : columnOf.get(field);
    if (column !== undefined) row[column] = value;
  }
  return row;
}

function assignDefined(row: Record<string, unknown>, changes: Readonly<Record<string, unknown>>) {
  for (const column in changes) if (changes[column] !== undefined) row[column] = changes[column];
  return row;
}

/** The columns that the fields of an event fill by name. */
export const namedColumns = <T extends Table>(table: T, data: object) =>
  fill({}, shapeOf(table), data) as Partial<ReadModelTables[T]>;

/** A new row: filled by name from the event, created at `at`, and otherwise null. */
export function newRow<T extends Table, D extends object>(
  table: T,
  data: D,
  at: string,
  given: Unnamed<ReadModelTables[T], D>,
): ReadModelTables[T] {
  const shape = shapeOf(table);
  const row: Record<string, unknown> = { ...shape.empty };
  for (const column of shape.times) row[column] = at;
  return assignDefined(fill(row, shape, data), given) as ReadModelTables[T];
}

type Values = Readonly<Record<string, unknown>>;

/** A row with other values since `at`; undefined ones leave a column as it is. */
export const changedRow = <T extends Table>(
  table: T,
  row: ReadModelTables[T],
  at: string,
  changes: Partial<ReadModelTables[T]>,
): ReadModelTables[T] => {
  const changed: Record<string, unknown> = { ...(row as Values) };
  if (shapeOf(table).times.includes('updated_at')) changed.updated_at = at;
  return assignDefined(changed, changes as Values) as ReadModelTables[T];
};

function withSortKeys<T extends Table>(table: T, rows: readonly ReadModelTables[T][]) {
  const { sortedBy } = shapeOf(table);
  if (sortedBy === undefined) return rows;
  return rows.map((row) => ({
    ...row,
    sort_key: sortKeyOf(String((row as Values)[sortedBy])),
  }));
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
    insert into read_model.${sql.ref(table)}
    select r.* from ${rowsOf(table, withSortKeys(table, rows))}
    on conflict (${sql.ref(key)}) do update set ${sql.join(
      others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
    )}
  `.execute(tx);
}

/** Changes columns of one row. */
export const updateRow = <T extends Table>(
  tx: Tx,
  table: T,
  id: string,
  columns: {
    readonly [C in keyof ReadModelTables[T]]?: ReadModelTables[T][C] | RawBuilder<unknown>;
  },
) =>
  sql`update read_model.${sql.ref(table)} set ${sql.join(
    Object.entries(columns).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  )} where ${sql.ref(keyOf(table))} = ${id}`.execute(tx);

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

/** The tables with a `count`. */
export type CountTable = {
  [T in keyof ReadModelTables]: ReadModelTables[T] extends { count: number } ? T : never;
}[keyof ReadModelTables];

/** What a row is counted as; null when it is not counted. */
export type CountedAs<T extends CountTable, Row> = (
  row: Row,
) => Omit<ReadModelTables[T], 'count'> | null;

/** Keeps counters of rows: subtracts what rows were before a batch, and adds what they are after it. */
export async function keepCounts<T extends CountTable, Row>(
  tx: Tx,
  table: T,
  { before, after }: { readonly before: readonly Row[]; readonly after: readonly Row[] },
  countedAs: CountedAs<T, Row>,
): Promise<void> {
  const changes = new Map<string, { count: number }>();
  const add = (rows: readonly Row[], count: number) => {
    for (const row of rows) {
      const key = countedAs(row);
      if (!key) continue;
      const name = JSON.stringify(key);
      changes.set(name, { ...key, count: (changes.get(name)?.count ?? 0) + count });
    }
  };
  add(before, -1);
  add(after, 1);
  const changed = [...changes.values()].filter(({ count }) => count !== 0);
  const [sample] = changed;
  if (!sample) return;
  const columns = Object.keys(sample).map((column) => sql.ref(column));
  const isSame = Object.keys(sample)
    .filter((column) => column !== 'count')
    .map((column) => sql`c.${sql.ref(column)} = r.${sql.ref(column)}`);
  // Rows with 0 are deleted; otherwise the rows would depend on where batches end.
  await sql`merge into read_model.${sql.ref(table)} c
    using (select r.* from ${rowsOf(table, changed as ReadModelTables[T][])}) r
    on ${sql.join(isSame, sql` and `)}
    when matched and c.count + r.count = 0 then delete
    when matched then update set count = c.count + r.count
    when not matched then insert (${sql.join(columns)})
      values (${sql.join(Object.keys(sample).map((column) => sql`r.${sql.ref(column)}`))})
  `.execute(tx);
}
