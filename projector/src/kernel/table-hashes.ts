import { NEXT_SCHEMA, SCHEMA } from '@tallyhand/read-models/kernel/schema';
import { sql } from 'kysely';
import type { Tx } from './projection.ts';

export type Comparison = {
  readonly isEqual: boolean;
  /** How many rows each table has, or had. */
  readonly detail: string;
};

type Summary = { readonly rows: string; readonly hash: string };

/** Compares all rows of each table, in whatever order, with those of the next one. */
export async function compareTables(tx: Tx, tables: readonly string[]): Promise<Comparison> {
  let isEqual = true;
  const details: string[] = [];
  for (const table of tables) {
    const old = await summaryOf(tx, SCHEMA, table);
    const next = await summaryOf(tx, NEXT_SCHEMA, table);
    if (old.rows === next.rows && old.hash === next.hash) {
      details.push(`${table}: ${next.rows} rows, equal`);
      continue;
    }
    isEqual = false;
    details.push(`${table}: ${next.rows} rows, other than the ${old.rows} before`);
  }
  return { isEqual, detail: details.join('; ') };
}

async function summaryOf(tx: Tx, schema: string, table: string): Promise<Summary> {
  const { rows } = await sql<Summary>`
    select count(*) as rows, concat(sum(hashtextextended(row, 0)), ' ',
      sum(hashtextextended(row, 1))) as hash
    -- Without the offset each row would be made text twice.
    from (select t::text as row from ${sql.id(schema, table)} t offset 0) t
  `.execute(tx);
  const [summary] = rows;
  if (!summary) throw new Error(`Table ${table} was not read`);
  return summary;
}
