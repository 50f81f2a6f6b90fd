import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import type { Tx } from './projection.ts';
import { rowsOf } from './rows.ts';

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
  // Without rows of 0: which there are would depend on where batches end.
  await sql`merge into read_model.${sql.ref(table)} c
    using (select r.* from ${rowsOf(table, changed as ReadModelTables[T][])}) r
    on ${sql.join(isSame, sql` and `)}
    when matched and c.count + r.count = 0 then delete
    when matched then update set count = c.count + r.count
    when not matched then insert (${sql.join(columns)})
      values (${sql.join(Object.keys(sample).map((column) => sql`r.${sql.ref(column)}`))})
  `.execute(tx);
}
