import { canonicalJson } from '../crypto/hash-chain.ts';
import { CSV_HEADING, csvRow, csvRowLine } from './csv.ts';
import type { ExportFormat } from './manifest.ts';
import { AuditRow } from './row.ts';

/** Writes rows to a file, and reads them. Lines include their ends. */
export type RowLines = {
  readonly file: string;
  readonly heading: string;
  lineOf(row: AuditRow): string;
  /** The content of a line, unchecked. May throw. */
  parse(line: string): unknown;
};

export const rowLines: Readonly<Record<ExportFormat, RowLines>> = {
  ndjson: {
    file: 'events.ndjson',
    heading: '',
    lineOf: (row) => `${canonicalJson(row)}\n`,
    parse: JSON.parse,
  },
  csv: { file: 'events.csv', heading: CSV_HEADING, lineOf: csvRowLine, parse: csvRow },
};

/** The row that a line holds; null when it was not written so. */
export function readRow(lines: RowLines, line: string): AuditRow | null {
  try {
    const parsed = AuditRow.safeParse(lines.parse(line));
    return parsed.success && lines.lineOf(parsed.data) === line ? parsed.data : null;
  } catch {
    return null;
  }
}
