import { canonicalJson } from '../crypto/hash-chain.ts';
import { type Cell, csvCells, csvLine } from '../csv.ts';
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

/** Each field has its column, so that a row can be read back whole and its hash computed. */
const COLUMNS: Readonly<Record<string, (row: AuditRow) => Cell>> = {
  sequence: (row) => row.sequence,
  at: (row) => row.at,
  type: (row) => row.type,
  stream: (row) => row.stream,
  actorKind: ({ actor }) => actor.kind,
  actorId: ({ actor }) => actor.id,
  signInId: ({ actor }) => actor.signInId,
  revealed: (row) => canonicalJson(row.revealed),
  data: (row) => canonicalJson(row.data),
  sourceAddress: (row) => row.sourceAddress,
  eventId: (row) => row.eventId,
  schemaVersion: (row) => row.schemaVersion,
  correlationId: (row) => row.correlationId,
  causationId: (row) => row.causationId,
  commandId: (row) => row.commandId,
};
const HEADINGS = Object.keys(COLUMNS);
const CELLS = Object.values(COLUMNS);

const CSV_HEADING = csvLine(HEADINGS);

/** The line of a row, with its end. */
const csvRowLine = (row: AuditRow): string => csvLine(CELLS.map((cell) => cell(row)));

/**
 * The content of a line, unchecked except for its cells; null if they are not a row's. Throws on
 * bad JSON.
 */
function csvRow(line: string): unknown {
  const cells = csvCells(line);
  if (cells?.length !== HEADINGS.length) return null;
  const cell: Record<string, string> = Object.fromEntries(
    HEADINGS.map((heading, at) => [heading, cells[at] ?? '']),
  );
  const { actorKind: kind, actorId, signInId, data = '', revealed = '', ...fields } = cell;
  return {
    ...fields,
    sequence: Number(cell.sequence),
    schemaVersion: Number(cell.schemaVersion),
    actor: { kind, id: actorId || null, signInId: signInId || null },
    causationId: cell.causationId || null,
    sourceAddress: cell.sourceAddress || null,
    data: JSON.parse(data),
    revealed: JSON.parse(revealed),
  };
}

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
