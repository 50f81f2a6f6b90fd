import type { ModelUsageRow } from '@tallyhand/contracts/features/models/models.endpoints';
import { hasNoPrice } from './usage-lines.tsx';

const COLUMNS = [
  'key',
  'name',
  'calls',
  'estimatedCalls',
  'unpricedCalls',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'latencyMs',
  'costMicros',
] as const satisfies readonly (keyof ModelUsageRow)[];

/** RFC 4180, with the names that the API gives the columns. */
export const usageCsv = (rows: readonly ModelUsageRow[]): string =>
  [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => fieldOf(row, column)))]
    .map((line) => `${line.map(cell).join(',')}\r\n`)
    .join('');

/** Without a known price, the cost is empty rather than zero. */
const fieldOf = (row: ModelUsageRow, column: (typeof COLUMNS)[number]) =>
  column === 'costMicros' && hasNoPrice(row) ? '' : (row[column] ?? '');

/** A name that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
