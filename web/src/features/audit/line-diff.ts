import { diffArrays } from 'diff';

/** A line that stayed, went or came. */
export type DiffLine = { sign: ' ' | '-' | '+'; text: string };

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
export type MarkedLine = readonly [start: string, own: string, end: string];

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
