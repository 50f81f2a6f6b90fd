import { ImagesLeftOut } from '@tallyhand/contracts/features/knowledge/import-warnings';
import TurndownService from 'turndown';
import {
  elementsNamed,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  isText,
  parseHtml,
  unwrap,
  walk,
} from './html-tree.ts';
import { orBroken, refuseTooLong } from './import-refused.ts';
import type { ReadDocument } from './imported.ts';
import { escapeText, visibleText } from './visible-text.ts';

/**
 * The text of an HTML page as Markdown. `address` is where its relative links start, empty when
 * they lead nowhere. Throws ImportRefused: `bomb`, `too-long`, `broken-file`.
 */
export async function readHtml(
  html: string,
  { address, charactersMax }: { address: string; charactersMax: number },
): Promise<ReadDocument> {
  return orBroken('The HTML of this page could not be read.', () => {
    const document = parseHtml(html);
    const { body, documentElement } = document;
    const [titled] = documentElement ? elementsNamed(documentElement, 'TITLE') : [];
    const title = visibleText(titled?.textContent ?? '');
    if (!body) return { title, markdown: '', warnings: [] };
    dropFurniture(body);
    const root = mainPart(body);
    refuseTooLong(textLength(root), charactersMax);
    const images = describeImages(document, root);
    resolveLinks(document, root, address);
    prepareTables(document, root);
    for (const list of elementsNamed(root, 'OL')) numberItems(list);
    for (const pre of elementsNamed(root, 'PRE')) breakLines(document, pre);
    return {
      title,
      markdown: visibleText(markdownOf(root)),
      warnings: images === 0 ? [] : [ImagesLeftOut({ count: images })],
    };
  });
}

function markdownOf(root: HtmlElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.escape = escapeText;
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content: string, node: HtmlElement) => {
      const words = content.replace(/\s*\n\s*/g, ' ').trim();
      return words === '' ? '' : `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${words}\n\n`;
    },
  });
  service.addRule('listItem', { filter: 'li', replacement: listItem });
  service.addRule('lineBreak', { filter: 'br', replacement: lineBreak });
  service.addRule('code', { filter: 'pre', replacement: codeBlock });
  service.addRule('block', {
    filter: ['details', 'summary', 'legend', 'caption', 'search'],
    replacement: (content: string) => `\n\n${content}\n\n`,
  });
  service.addRule('emptyLink', {
    filter: (node: HtmlElement) => node.nodeName === 'A' && node.textContent.trim() === '',
    replacement: () => '',
  });
  service.addRule('table', {
    filter: (node: HtmlElement) => isMarked(node),
    replacement: (content: string, node: HtmlElement) => {
      if (node.nodeName === 'TD' || node.nodeName === 'TH') return cellText(content);
      if (node.nodeName === 'TR') return rowText(content, node);
      return node.nodeName === 'TABLE' ? `\n\n${content}\n\n` : content;
    },
  });
  return service.turndown(root);
}

function listItem(content: string, node: HtmlElement): string {
  const number = node.getAttribute('value');
  const isNumbered = node.parentNode?.nodeName === 'OL' && number !== null;
  const prefix = isNumbered ? `${number}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(prefix.length)}`);
  return prefix + text + (node.nextSibling ? '\n' : '');
}

/** Old pages begin a paragraph by two line breaks in a row. */
function lineBreak(_content: string, node: HtmlElement): string {
  if (!node.nextSibling || node.previousSibling?.nodeName === 'BR') return '';
  return node.nextSibling.nodeName === 'BR' ? '\n\n' : '  \n';
}

function codeBlock(_content: string, node: HtmlElement): string {
  const code = node.textContent.replace(/^\n|\s+$/g, '');
  if (code.trim() === '') return '';
  const classes = [node, ...elementsNamed(node, 'CODE')].map((one) => one.getAttribute('class'));
  const language = /(?:^|\s)lang(?:uage)?-([\w+#-]{1,30})/.exec(classes.join(' '))?.[1] ?? '';
  const runs = code.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** Sets each item's number: the converter would count from the start for every item. */
function numberItems(list: HtmlElement): void {
  let next = numberIn(list.getAttribute('start')) ?? 1;
  for (let node = list.firstChild; node; node = node.nextSibling) {
    if (node.nodeName !== 'LI') continue;
    const item = node as HtmlElement;
    const number = numberIn(item.getAttribute('value')) ?? next;
    item.setAttribute('value', `${number}`);
    next = Math.min(number + 1, 999_999_999);
  }
}

function numberIn(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value.trim()) ? Number(value) : null;
}

/** Code is read as plain text, which has no line break elements. */
function breakLines(document: HtmlDocument, pre: HtmlElement): void {
  for (const end of elementsNamed(pre, 'BR')) {
    end.parentNode?.insertBefore(document.createTextNode('\n'), end);
    end.parentNode?.removeChild(end);
  }
}

/** Names of foreign elements are in lower case. */
const furniture = new Set(
  `SCRIPT STYLE NOSCRIPT TEMPLATE NAV FOOTER ASIDE BUTTON INPUT SELECT TEXTAREA DATALIST IFRAME
   FRAMESET OBJECT EMBED CANVAS AUDIO VIDEO DIALOG MAP LINK META TITLE svg`.split(/\s+/),
);
const furnitureRoles = new Set(['navigation', 'contentinfo', 'complementary', 'search']);
const blocks = new Set(
  `H1 H2 H3 H4 H5 H6 P DIV UL OL LI TABLE PRE BLOCKQUOTE SECTION ARTICLE HEADER FIGURE HR DL
   DETAILS`.split(/\s+/),
);

/** The chosen part of a page has at least this share of its text. */
const mainShareMin = 0.6;

/** Removes everything but the page's text: navigation, forms, comments and hidden elements. */
function dropFurniture(body: HtmlElement): void {
  const unwanted = [...walk(body)].map(({ node }) => node).filter((node) => !isWanted(node));
  for (const node of unwanted) node.parentNode?.removeChild(node);
  const enough = textLength(body) / 2;
  for (const form of elementsNamed(body, 'FORM')) {
    // Some servers put the whole page into one form.
    if (textLength(form) > enough) unwrap(form);
    else form.parentNode?.removeChild(form);
  }
}

function isWanted(node: HtmlElement | { nodeType: number }): boolean {
  if (node.nodeType === 3 || node.nodeType === 4) return true;
  if (!('getAttribute' in node) || furniture.has(node.nodeName)) return false;
  if (furnitureRoles.has(node.getAttribute('role') ?? '')) return false;
  if (node.getAttribute('hidden') !== null) return false;
  const style = node.getAttribute('style') ?? '';
  return !/(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 1000));
}

/** The smallest `main` or `article` that holds most of the text, else the whole body. */
function mainPart(body: HtmlElement): HtmlElement {
  const enough = textLength(body) * mainShareMin;
  let best = { element: body, length: Number.POSITIVE_INFINITY };
  for (const { node } of walk(body)) {
    if (!isElement(node)) continue;
    const isMain = node.getAttribute('role') === 'main' || /^(?:MAIN|ARTICLE)$/.test(node.nodeName);
    if (!isMain) continue;
    const length = textLength(node);
    if (length > enough && length < best.length) best = { element: node, length };
  }
  return best.element;
}

/** Characters without white space. */
function textLength(root: HtmlElement): number {
  let length = 0;
  for (const { node } of walk(root)) {
    if (isText(node)) length += node.textContent.replace(/\s+/g, '').length;
  }
  return length;
}

/** Replaces images by their descriptions. Returns the number of images. */
function describeImages(document: HtmlDocument, root: HtmlElement): number {
  const images = elementsNamed(root, 'IMG');
  for (const image of images) {
    const alt = image.getAttribute('alt')?.trim() ?? '';
    if (alt !== '') image.parentNode?.insertBefore(document.createTextNode(alt), image);
    image.parentNode?.removeChild(image);
  }
  return images.length;
}

/**
 * Links get their full address; those that lead nowhere outside of the page become text. The page's
 * `base` is the start of relative links.
 */
function resolveLinks(document: HtmlDocument, root: HtmlElement, address: string): void {
  const start = baseOf(document, address);
  for (const link of elementsNamed(root, 'A')) {
    const target = targetOf(link.getAttribute('href') ?? '', start);
    link.removeAttribute('title');
    if (target !== '' && !holdsBlocks(link)) {
      link.setAttribute('href', target);
    } else if (target === '' && !/[\p{L}\p{N}]/u.test(link.textContent)) {
      // A mark beside a heading that links to it, or an arrow back from a footnote.
      link.parentNode?.removeChild(link);
    } else {
      unwrap(link);
    }
  }
}

function baseOf(document: HtmlDocument, address: string): string {
  const root = document.documentElement;
  const base = root ? elementsNamed(root, 'BASE')[0]?.getAttribute('href') : null;
  return targetOf(base ?? '', address) || address;
}

function targetOf(href: string, start: string): string {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return '';
  const url = URL.parse(trimmed, start === '' ? undefined : start);
  return url && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : '';
}

function holdsBlocks(element: HtmlElement): boolean {
  for (const { node } of walk(element)) if (blocks.has(node.nodeName)) return true;
  return false;
}

/** Marks tables, sections, rows and cells that become a Markdown table. */
const mark = 'data-as-table';
const columnsMax = 50;
const spanMax = 50;

/**
 * Marks data tables and makes their rows equally long. Layout tables, and tables whose cells
 * contain more than one line of Markdown, stay unmarked and become blocks.
 */
function prepareTables(document: HtmlDocument, root: HtmlElement): void {
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

const isMarked = (element: HtmlElement): boolean => {
  const value = element.getAttribute(mark);
  return (
    value !== null &&
    value !== 'no' &&
    /^(?:TABLE|T?HEAD|T?BODY|TFOOT|TR|T[DH])$/.test(element.nodeName)
  );
};

/** A cell on one line; lists become enumerations. */
function cellText(content: string): string {
  const lines = content.split('\n').map((line) => line.trim());
  const items = lines.filter((line) => line !== '');
  const isList = items.length > 1 && items.every((line) => /^(?:-|\d+\.) /.test(line));
  const text = isList
    ? items.map((line) => line.replace(/^- /, '')).join('; ')
    : items.join(' ').replace(/^- /, '');
  return `| ${text.replaceAll('|', '\\|')} `;
}

/** The first row is always the head: Markdown has no table without one. */
function rowText(content: string, row: HtmlElement): string {
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
  /** For each column, how many further rows a cell above spans. */
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
