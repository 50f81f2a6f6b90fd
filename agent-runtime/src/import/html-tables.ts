import { elementsNamed, type HtmlDocument, type HtmlElement, isElement } from './html-tree.ts';

/** Marks tables, sections, rows and cells that become a Markdown table. */
const mark = 'data-as-table';
const columnsMax = 50;
const spanMax = 50;

/**
 * Marks the tables that hold data and makes their rows equally long. Tables that only arrange a
 * page, or whose cells hold more than a line of Markdown can, stay unmarked and become blocks.
 */
export function prepareTables(document: HtmlDocument, root: HtmlElement): void {
  for (const table of elementsNamed(root, 'TABLE')) {
    for (const caption of childrenNamed(table, 'CAPTION')) {
      table.parentNode?.insertBefore(caption, table);
    }
    const sections = childrenNamed(table, 'THEAD', 'TBODY', 'TFOOT');
    const rows = [table, ...sections].flatMap((part) => childrenNamed(part, 'TR'));
    const columns = holdsData(table, rows) ? fillSpans(document, rows) : 0;
    const isTable = columns > 1 && columns <= columnsMax;
    const parts = [table, ...sections, ...rows, ...rows.flatMap(cellsOf)];
    for (const part of parts) setMark(part, isTable ? 'yes' : 'no');
    const [first] = rows;
    if (isTable && first) setMark(first, `${columns}`);
  }
}

function setMark(element: HtmlElement, value: string): void {
  element.setAttribute(mark, value);
}

export const isMarked = (element: HtmlElement): boolean => {
  const value = element.getAttribute(mark);
  return (
    value !== null &&
    value !== 'no' &&
    /^(?:TABLE|T?HEAD|T?BODY|TFOOT|TR|T[DH])$/.test(element.nodeName)
  );
};

/** A cell on one line; lists become enumerations. */
export function cellText(content: string): string {
  const lines = content.split('\n').map((line) => line.trim());
  const items = lines.filter((line) => line !== '');
  const isList = items.length > 1 && items.every((line) => /^(?:-|\d+\.) /.test(line));
  const text = isList
    ? items.map((line) => line.replace(/^- /, '')).join('; ')
    : items.join(' ').replace(/^- /, '');
  return `| ${text.replaceAll('|', '\\|')} `;
}

/** The first row heads the table, whatever its cells are: Markdown knows no table without head. */
export function rowText(content: string, row: HtmlElement): string {
  const columns = Math.min(Number(row.getAttribute(mark)) || 0, columnsMax);
  const line = `\n${content.replaceAll('\n', '')}|\n`;
  return columns === 0 ? line : `${line}|${' --- |'.repeat(columns)}\n`;
}

function holdsData(table: HtmlElement, rows: HtmlElement[]): boolean {
  if (rows.length < 2) return false;
  const tooMuch = ['TABLE', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'PRE', 'BLOCKQUOTE', 'HR'];
  return elementsNamed(table, ...tooMuch).length === 0;
}

/** Puts empty cells where a cell spans rows or columns. Returns the number of columns. */
function fillSpans(document: HtmlDocument, rows: HtmlElement[]): number {
  /** For each column, how many of the next rows a cell above reaches into. */
  let above: number[] = [];
  let columns = 0;
  const places = rows.map((row) => {
    const below: number[] = [];
    let column = 0;
    const skip = (cell: HtmlElement | null) => {
      while ((above[column] ?? 0) > 0) {
        below[column] = (above[column] ?? 0) - 1;
        row.insertBefore(document.createElement('td'), cell);
        column += 1;
      }
    };
    for (const cell of cellsOf(row)) {
      skip(cell);
      const width = span(cell, 'colspan');
      const height = span(cell, 'rowspan');
      for (let at = 0; at < width && column < columnsMax + 1; at += 1) {
        if (at > 0) row.insertBefore(document.createElement('td'), cell.nextSibling);
        below[column] = height - 1;
        column += 1;
      }
    }
    skip(null);
    above = below;
    columns = Math.max(columns, column);
    return { row, column };
  });
  if (columns > columnsMax) return columns;
  for (const { row, column } of places) {
    for (let at = column; at < columns; at += 1) {
      row.insertBefore(document.createElement('td'), null);
    }
  }
  return columns;
}

function span(cell: HtmlElement, name: string): number {
  const value = Number.parseInt(cell.getAttribute(name) ?? '', 10);
  return value >= 1 ? Math.min(value, spanMax) : 1;
}

const cellsOf = (row: HtmlElement) => childrenNamed(row, 'TD', 'TH');

function childrenNamed(parent: HtmlElement, ...names: string[]): HtmlElement[] {
  const found: HtmlElement[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (isElement(node) && names.includes(node.nodeName)) found.push(node);
  }
  return found;
}
