import type { ReadModelTables } from '@tallyhand/read-models/database';
import { type RawBuilder, sql } from 'kysely';

type Table = keyof ReadModelTables;

/**
 * Rows of a table as a source of an insert, named `r`: one parameter, however many rows there are.
 */
export const rowsOf = <T extends Table>(
  table: T,
  rows: readonly ReadModelTables[T][],
): RawBuilder<unknown> =>
  sql`jsonb_populate_recordset(null::read_model.${sql.ref(table)}, ${JSON.stringify(rows)}) r`;
