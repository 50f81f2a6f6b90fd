import { canonicalJson } from '../crypto/hash-chain.ts';
import { type Cell, csvCells, csvLine } from '../csv.ts';
import type { AuditRow } from './row.ts';

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

export const CSV_HEADING = csvLine(HEADINGS);

/** The line of a row, with its end. */
export const csvRowLine = (row: AuditRow): string => csvLine(CELLS.map((cell) => cell(row)));

/**
 * The content of a line, unchecked except for its cells; null if they are not a row's. Throws on
 * bad JSON.
 */
export function csvRow(line: string): unknown {
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
