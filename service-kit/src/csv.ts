export type Cell = string | number | boolean | null | undefined;

/** A spreadsheet takes text that begins so for a formula, and would calculate it. */
const FORMULA = String.raw`\s*[=+\-@|＝＋－＠]|[\t\r\n]`;
/** Apostrophes before it count too: text that has one already gets one more, so none is ambiguous. */
const LOOKS_LIKE_FORMULA = new RegExp(`^'*(?:${FORMULA})`);
const LOOKS_DISARMED = new RegExp(`^'+(?:${FORMULA})`);
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One line as RFC 4180 writes it. Text that looks like a formula gets an apostrophe before it, which
 * `csvCells` takes away.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = LOOKS_LIKE_FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The cells of a line that `csvLine` wrote, as text; null when it can't have written it. */
export function csvCells(line: string): string[] | null {
  if (!line.endsWith('\r\n')) return null;
  const cells: string[] = [];
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < line.length) {
    const match = cell.exec(line);
    if (!match) return null;
    const [, quoted, plain = '', end] = match;
    const text = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    cells.push(LOOKS_DISARMED.test(text) ? text.slice(1) : text);
    if (end === '\r\n') return cell.lastIndex === line.length ? cells : null;
  }
  return null;
}
