import { type Inline, inlinesOf } from './markdown-inlines.ts';

/** A part of a text in Markdown. */
export type Block =
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      /** The number of the first item; undefined where they have none. */
      readonly start: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly Cell[][] };

type Cell = readonly Inline[];

/** Quotes and lists within one another, deeper than this, are text. */
const DEPTH_MAX = 8;
/** A line as long as this was broken because it was full, not because it was to end there. */
const FULL_LINE_LENGTH = 60;

const BLANK = /^\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const HEADING = /^ {0,3}(#{1,6}) +(\S.*)$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+•]|\d{1,9}[.)])( {1,4})(?=\S)/;
const TABLE_LINE = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

/** What was read, and the number of lines that it took. */
type Read = { readonly block: Block; readonly count: number } | undefined;

/** The blocks of a text. Whatever is no Markdown is a paragraph, HTML too. */
export function blocksOf(text: string): Block[] {
  return readBlocks(text.replaceAll('\t', '    ').split(/\r\n|\r|\n/), 0);
}

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push(paragraphOf(paragraph));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = readBlock(lines, at, depth);
    if (found || BLANK.test(line)) endParagraph();
    else paragraph.push(line);
    if (found) blocks.push(found.block);
    at += found?.count ?? 1;
  }
  endParagraph();
  return blocks;
}

function paragraphOf(lines: readonly string[]): Block {
  const parts = lines.map((line, at) => {
    const isFull = line.length >= FULL_LINE_LENGTH && !line.endsWith('  ');
    return line.trim() + (at === lines.length - 1 ? '' : isFull ? ' ' : '\n');
  });
  return { kind: 'paragraph', inlines: inlinesOf(parts.join('')) };
}

/** The block that begins at a line, unless that is a paragraph. */
function readBlock(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at] ?? '';
  if (RULE.test(line)) return { block: { kind: 'rule' }, count: 1 };
  const [, marks, words] = HEADING.exec(line) ?? [];
  if (marks && words) {
    const inlines = inlinesOf(withoutMarks(words.trimEnd()));
    return { block: { kind: 'heading', level: marks.length, inlines }, count: 1 };
  }
  return readCode(lines, at) ?? readTable(lines, at) ?? readNested(lines, at, depth);
}

/** A heading may be closed as it was opened. */
function withoutMarks(words: string): string {
  let end = words.length;
  while (words[end - 1] === '#') end--;
  return words[end - 1] === ' ' ? words.slice(0, end).trimEnd() : words;
}

function readCode(lines: readonly string[], at: number): Read {
  const fence = FENCE.exec(lines[at] ?? '')?.[1];
  if (!fence) return undefined;
  let end = at + 1;
  while (end < lines.length && !closes(lines[end] ?? '', fence)) end++;
  const text = lines.slice(at + 1, end).join('\n');
  return { block: { kind: 'code', text }, count: Math.min(end + 1, lines.length) - at };
}

function closes(line: string, fence: string): boolean {
  const end = line.trim();
  return end.length >= fence.length && end === (fence[0] ?? '').repeat(end.length);
}

function readTable(lines: readonly string[], at: number): Read {
  const [head = '', below = ''] = lines.slice(at, at + 2);
  if (!head.includes('|') || !below.includes('|') || !TABLE_LINE.test(below)) return undefined;
  const names = cellsOf(head);
  if (cellsOf(below).length !== names.length) return undefined;
  let end = at + 2;
  while (lines[end]?.includes('|')) end++;
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = cellsOf(line);
    return names.map((_, column) => inlinesOf(cells[column] ?? ''));
  });
  return { block: { kind: 'table', head: names.map(inlinesOf), rows }, count: end - at };
}

const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function readNested(lines: readonly string[], at: number, depth: number): Read {
  if (depth >= DEPTH_MAX) return undefined;
  return readQuote(lines, at, depth) ?? readList(lines, at, depth);
}

function readQuote(lines: readonly string[], at: number, depth: number): Read {
  let end = at;
  while (QUOTE.test(lines[end] ?? '')) end++;
  if (end === at) return undefined;
  const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return { block: { kind: 'quote', blocks: readBlocks(quoted, depth + 1) }, count: end - at };
}

const isNumber = (marker: string | undefined) => /^\d/.test(marker ?? '');

function readList(lines: readonly string[], at: number, depth: number): Read {
  const marker = ITEM.exec(lines[at] ?? '')?.[2];
  if (!marker || RULE.test(lines[at] ?? '')) return undefined;
  const items: Block[][] = [];
  let next = at;
  for (;;) {
    const begin = ITEM.exec(lines[next] ?? '');
    const isSameList = begin && isNumber(begin[2]) === isNumber(marker);
    if (!isSameList || RULE.test(lines[next] ?? '')) break;
    const [own, count] = linesOfItem(lines, next, begin[0].length);
    items.push(readBlocks(own, depth + 1));
    next += count;
  }
  const start = isNumber(marker) ? Number.parseInt(marker, 10) : undefined;
  return { block: { kind: 'list', start, items }, count: next - at };
}

/** An item's lines without what stands before its text, and how many there are. */
function linesOfItem(lines: readonly string[], at: number, width: number) {
  const own = [(lines[at] ?? '').slice(width)];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? '';
    const indent = line.length - line.trimStart().length;
    const isWithin = BLANK.test(line) || indent >= Math.min(2, width);
    const goesOn = !BLANK.test(lines[next - 1] ?? '') && !isBegin(line);
    if (!isWithin && !goesOn) break;
    own.push(line.slice(Math.min(indent, width)));
  }
  return [own, next - at] as const;
}

const isBegin = (line: string) => [ITEM, QUOTE, HEADING, FENCE, RULE].some((it) => it.test(line));
