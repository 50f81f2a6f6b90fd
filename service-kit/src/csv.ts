export type Cell = string | number | boolean | null | undefined;

/** A spreadsheet treats text with this beginning as a formula. */
const FORMULA = String.raw`\s*[=+\-@|＝＋－＠]|[\t\r\n]`;
/** Apostrophes before it count too: text that has one already gets one more, so none is ambiguous. */
const LOOKS_LIKE_FORMULA = new RegExp(`^'*(?:${FORMULA})`);
const LOOKS_DISARMED = new RegExp(`^'+(?:${FORMULA})`);
const NEEDS_QUOTES = /[",\r\n]/;
const ENDS_PLAIN = /[",\r\n]/g;

/**
 * One line as in RFC 4180. Text that looks like a formula gets an apostrophe before it, which
 * `csvCells` removes.
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
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    const end = line[at] === '"' ? endOfQuoted(line, at) : endOfPlain(line, at);
    if (end === null) return null;
    const text =
      line[at] === '"' ? line.slice(at + 1, end - 1).replaceAll('""', '"') : line.slice(at, end);
    cells.push(LOOKS_DISARMED.test(text) ? text.slice(1) : text);
    if (line.startsWith('\r\n', end)) return end + 2 === line.length ? cells : null;
    if (line[end] !== ',') return null;
    at = end;
  }
}

// Not by one regular expression: a long cell would be too much for its stack.
function endOfQuoted(line: string, start: number): number | null {
  for (let at = start + 1; ; at += 2) {
    at = line.indexOf('"', at);
    if (at === -1) return null;
    if (line[at + 1] !== '"') return at + 1;
  }
}

function endOfPlain(line: string, start: number): number {
  ENDS_PLAIN.lastIndex = start;
  return ENDS_PLAIN.exec(line)?.index ?? line.length;
}
