/** A line that stayed, went or came. */
export type DiffLine = { sign: ' ' | '-' | '+'; text: string };

/** Beyond this many comparisons of lines, all of the old ones go and all of the new ones come. */
const COMPARISONS_MAX = 250_000;

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
    ...(gone.length * come.length > COMPARISONS_MAX
      ? [...lines('-', gone), ...lines('+', come)]
      : middle(gone, come)),
    ...lines(' ', before.slice(before.length - end)),
  ];
}

/** By the longest common subsequence. */
function middle(gone: readonly string[], come: readonly string[]): DiffLine[] {
  const width = come.length + 1;
  const common = new Uint32Array((gone.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = come.length - 1; j >= 0; j--) {
      common[i * width + j] =
        gone[i] === come[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const diff: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    const [old = '', fresh = ''] = [gone[i], come[j]];
    if (i < gone.length && j < come.length && old === fresh) {
      diff.push({ sign: ' ', text: old });
      i++;
      j++;
    } else if (i < gone.length && (j === come.length || at(i + 1, j) >= at(i, j + 1))) {
      diff.push({ sign: '-', text: old });
      i++;
    } else {
      diff.push({ sign: '+', text: fresh });
      j++;
    }
  }
  return diff;
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
