import type { Column, Columns } from '../kernel/columns.ts';
import { type ReadModelTables, tables } from '../read-models.ts';

const MOMENT = '2026-11-01T00:00:00Z';
const PLAIN: Readonly<Record<Column['type'], string | null>> = {
  uuid: null,
  'uuid[]': '{}',
  text: '',
  'text collate "C"': '',
  'text[]': '{}',
  boolean: 'false',
  int: '0',
  bigint: '0',
  date: MOMENT,
  timestamptz: MOMENT,
  jsonb: '{}',
  bytea: '\\x00',
  tsvector: '',
};

/** Default values, as text, for columns that a test does not care about; no ids. */
export function plainRow(table: keyof ReadModelTables): Record<string, string> {
  const { columns }: { readonly columns: Columns } = tables[table];
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, { type, isNullable, default: value }]) => {
      const plain = isNullable || value !== undefined ? null : PLAIN[type];
      return plain === null ? [] : [[name, plain]];
    }),
  );
}
