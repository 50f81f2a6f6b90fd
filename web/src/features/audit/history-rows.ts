import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { diffArrays } from 'diff';

type Value = HistoryEntry['changes'][number]['after'];

/** A line of a comparison, or the number of unchanged lines that are left out. */
export type HistoryRow = { key: string } & (
  | { sign: DiffLine['sign']; text: MarkedLine }
  | { sign: 'gap'; count: number }
);

/** Beyond these a change is shown shortened, until one asks for the whole. */
const ROWS_MAX = 12;
const CHARACTERS_MAX = 300;
const CHARACTERS_AROUND = 80;
/** How many unchanged lines stay on either side of a change. */
const LINES_AROUND = 1;

/** A value as lines: texts as they stand, lists item by item, names with their texts. */
export function linesOf(
  value: Value,
  nameOf: (item: string) => string = String,
  fieldName: (field: string) => string = String,
): string[] {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return nameOf(value).replace(/\n+$/, '').split('\n');
  if (Array.isArray(value)) return value.map((item) => nameOf(inWords(item, fieldName)));
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([name, one]) =>
      `${name}: ${inWords(one, fieldName)}`.split('\n'),
    );
  }
  return [nameOf(String(value))];
}

/** Of an object, such as a header or a price: what it is called, and its other values. */
function inWords(item: unknown, fieldName: (field: string) => string): string {
  if (typeof item === 'string') return item;
  const values = typeof item === 'object' && item !== null ? Object.entries(item) : [];
  const called = values.find(([name]) => HEADINGS.includes(name))?.[1];
  if (called === undefined) return JSON.stringify(item);
  const others = values.filter(([name, value]) => !HEADINGS.includes(name) && !isEmpty(value));
  const words = others.map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : value;
    return name === 'value' ? text : `${fieldName(name)} ${text}`;
  });
  return words.length > 0 ? `${called}: ${words.join(', ')}` : String(called);
}

const HEADINGS = ['name', 'model'];
const isEmpty = (value: unknown) => value === null || value === '';

/** The whole comparison. Lines that took each other's place have the words marked that differ. */
export function historyRows(before: readonly string[], after: readonly string[]): HistoryRow[] {
  const rows: HistoryRow[] = [];
  const push = (sign: DiffLine['sign'], text: MarkedLine) =>
    rows.push({ key: String(rows.length), sign, text });
  const diff = lineDiff(before, after);
  for (let at = 0; at < diff.length; ) {
    const gone = run(diff, at, '-');
    const come = run(diff, at + gone.length, '+');
    if (gone.length > 0 && gone.length === come.length) {
      const pairs = gone.map((old, index) => markedWords(old, come[index] ?? ''));
      for (const [old] of pairs) push('-', old);
      for (const [, fresh] of pairs) push('+', fresh);
    } else {
      for (const text of gone) push('-', ['', text, '']);
      for (const text of come) push('+', ['', text, '']);
    }
    at += gone.length + come.length;
    const same = run(diff, at, ' ');
    for (const text of same) push(' ', [text, '', '']);
    at += same.length;
  }
  return rows;
}

function run(diff: readonly DiffLine[], start: number, sign: DiffLine['sign']): string[] {
  let end = start;
  while (diff[end]?.sign === sign) end++;
  return diff.slice(start, end).map(({ text }) => text);
}

/** The rows as they are shown at first, and whether anything of them was left out. */
export function shortened(rows: readonly HistoryRow[]): { rows: HistoryRow[]; isCut: boolean } {
  const near = withGaps(rows);
  const shown = near.slice(0, ROWS_MAX).map(shortRow);
  const isCut =
    near.length !== rows.length ||
    shown.length !== near.length ||
    shown.some((row, index) => row !== near[index]);
  return { rows: shown, isCut };
}

/** Leaves unchanged lines out that are far from every change. */
function withGaps(rows: readonly HistoryRow[]): HistoryRow[] {
  const isNear = (index: number) =>
    rows
      .slice(Math.max(0, index - LINES_AROUND), index + LINES_AROUND + 1)
      .some(({ sign }) => sign !== ' ');
  const shown: HistoryRow[] = [];
  for (const [index, row] of rows.entries()) {
    const last = shown.at(-1);
    if (isNear(index)) shown.push(row);
    else if (last?.sign === 'gap') last.count++;
    else shown.push({ key: row.key, sign: 'gap', count: 1 });
  }
  return shown;
}

/** A long line, with a little of what surrounds its change. The same row where it is short. */
function shortRow(row: HistoryRow): HistoryRow {
  if (row.sign === 'gap') return row;
  const [start, own, end] = row.text;
  if (start.length + own.length + end.length <= CHARACTERS_MAX) return row;
  return { ...row, text: [tail(start), head(own, CHARACTERS_MAX), head(end, CHARACTERS_AROUND)] };
}

function head(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}

function tail(text: string): string {
  const characters = [...text];
  if (characters.length <= CHARACTERS_AROUND) return text;
  return `…${characters.slice(-CHARACTERS_AROUND).join('')}`;
}

/** A line that stayed, went or came. */
type DiffLine = { sign: ' ' | '-' | '+'; text: string };

/** Beyond this many lines that went or came, the search for a short way takes too long. */
const EDITS_MAX = 1_000;

const lines = (sign: DiffLine['sign'], texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ sign, text }));

/** How many items two lists have in common at their beginning. */
function commonStart<T>(a: readonly T[], b: readonly T[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** What went and what came between two lists of lines; where they moved apart, what went first. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const start = commonStart(before, after);
  const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse());
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  return [
    ...lines(' ', before.slice(0, start)),
    ...(shortest(gone, come) ?? [...lines('-', gone), ...lines('+', come)]),
    ...lines(' ', before.slice(before.length - end)),
  ];
}

/** The shortest way from one to the other, or null where it takes too many edits. */
function shortest(gone: readonly string[], come: readonly string[]): DiffLine[] | null {
  const changes = diffArrays([...gone], [...come], { maxEditLength: EDITS_MAX });
  if (!changes) return null;
  return changes.flatMap(({ removed, added, value }) =>
    lines(removed ? '-' : added ? '+' : ' ', value),
  );
}

/** A line in three parts: what it shares with the other one, its own, and what it shares again. */
type MarkedLine = readonly [start: string, own: string, end: string];

/** Where two versions of a line differ, word by word. */
export function markedWords(before: string, after: string): [MarkedLine, MarkedLine] {
  const words = (text: string) => text.split(/(?<=\s)/);
  const [old, fresh] = [words(before), words(after)];
  const start = commonStart(old, fresh);
  const end = commonStart(old.slice(start).reverse(), fresh.slice(start).reverse());
  const parts = (all: readonly string[]): MarkedLine => [
    all.slice(0, start).join(''),
    all.slice(start, all.length - end).join(''),
    all.slice(all.length - end).join(''),
  ];
  return [parts(old), parts(fresh)];
}
