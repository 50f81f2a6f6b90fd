import type { Span } from '@tallyhand/agent-runtime/sentences';

const quoteLengthMax = 700;
const tableRow = /^\|/;
const leadIn = /[:：]$/;
const listItem = /^(?:[-*+•·–]|\d{1,3}[.)])\s/;

/**
 * The literal text from sentence `from` to sentence `to`, widened where it would make no sense
 * alone: a row brings its table, an item its list and what leads in to it, and a lead-in its list,
 * as long as all stays short.
 */
export function quoteAt(
  text: string,
  sentences: readonly Span[],
  from: number,
  to: number,
): string {
  const first = sentences[from];
  const last = sentences[to];
  if (!first || !last) return text.slice(0, quoteLengthMax).trim();
  const at = (index: number) => text.slice(sentences[index]?.start, sentences[index]?.end);
  const isSame = (index: number, kind: RegExp) => kind.test(at(index));
  let start = from;
  let end = to;
  const above = kindOf(at(start));
  if (above) {
    while (start > 0 && isSame(start - 1, above)) start -= 1;
    if (start > 0 && leadIn.test(at(start - 1))) start -= 1;
  }
  const below =
    leadIn.test(at(end)) && end + 1 < sentences.length ? kindOf(at(end + 1)) : kindOf(at(end));
  if (below) {
    while (end + 1 < sentences.length && isSame(end + 1, below)) end += 1;
  }
  const wide = text.slice(sentences[start]?.start, sentences[end]?.end);
  return wide.length <= quoteLengthMax ? wide : text.slice(first.start, last.end);
}

function kindOf(sentence: string): RegExp | null {
  return [listItem, tableRow].find((kind) => kind.test(sentence)) ?? null;
}
