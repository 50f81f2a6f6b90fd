/** A half-open range of character positions in a text. */
export type Span = { start: number; end: number };

/**
 * Longer "sentences" (tables pasted as one line, text without punctuation) are cut, so that a quote
 * stays readable.
 */
const sentenceLengthMax = 600;

const closers = new Set(['"', "'", ')', ']', '»', '”', '’', '」', '』', '）', '】', '*', '_', '`']);
const latinEnds = new Set(['.', '!', '?', '…', '؟', '।']);
const wideEnds = new Set(['。', '！', '？', '｡', '．']);
const possibleEnds = new RegExp(`[\\n${[...latinEnds, ...wideEnds].join('')}]`, 'g');
const abbreviations = new Set(
  `mr mrs ms dr prof st no nr vs approx etc eg ie fig art sec ch vol pp dept inc ltd co jr sr mt
   bzw ca ggf inkl exkl usw evtl str tel abs sog vgl sra ud uds pag núm mme mlle ex env ecc sig
   г ул им т.е т.д`.split(/\s+/),
);

/**
 * The sentences of a text in their order, without the white space around them, as ranges for
 * literal quotes. List items and table rows count as sentences. Linear in the
 * length of the text.
 */
export function sentenceSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const { index } of text.matchAll(possibleEnds)) {
    if (index < start) continue;
    const end = boundaryAfter(text, index, start);
    if (end === 0) continue;
    pushTrimmed(spans, text, start, end);
    start = end;
  }
  pushTrimmed(spans, text, start, text.length);
  return spans;
}

/** Position after the sentence that ends at `at`, or 0 when none ends there. */
function boundaryAfter(text: string, at: number, sentenceStart: number): number {
  const char = text[at] as string;
  if (char === '\n') return startsNewBlock(text, at + 1) ? at + 1 : 0;
  const wide = wideEnds.has(char);
  if (!wide && !latinEnds.has(char)) return 0;
  let end = at + 1;
  while (end < text.length && end - at < 8 && endsOrCloses(text[end] as string)) end += 1;
  if (wide) return end;
  if (end >= text.length) return end;
  if (!/\s/.test(text[end] as string)) return 0;
  if (char === '.' && isAbbreviation(text, at, sentenceStart)) return 0;
  return startsLowercase(text, end) ? 0 : end;
}

function endsOrCloses(char: string): boolean {
  return closers.has(char) || latinEnds.has(char) || wideEnds.has(char);
}

/** A blank line, a list item, a heading, a quotation or a table row begins here. */
function startsNewBlock(text: string, lineStart: number): boolean {
  const line = text.slice(lineStart, lineStart + 40);
  return /^[ \t]*(?:\r?\n|$|[-*+•·–] |\d{1,3}[.)] |\||#{1,6} |>)/.test(line);
}

function isAbbreviation(text: string, dot: number, sentenceStart: number): boolean {
  let from = dot;
  while (from > sentenceStart && dot - from < 8 && /[\p{L}.]/u.test(text[from - 1] as string)) {
    from -= 1;
  }
  const word = text.slice(from, dot).toLowerCase();
  // A number alone at the start is the mark of a list item.
  if (word === '') return /^\s*\d{1,3}$/.test(text.slice(sentenceStart, dot).slice(0, 12));
  return (
    (word.length === 1 && /\p{L}/u.test(word)) ||
    /^\p{L}\.\p{L}$/u.test(word) ||
    abbreviations.has(word)
  );
}

function startsLowercase(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && at - from < 4 && /[\s"'([«“]/.test(text[at] as string)) at += 1;
  return /\p{Ll}/u.test(text[at] ?? '');
}

function pushTrimmed(spans: Span[], text: string, from: number, to: number): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start] as string)) start += 1;
  while (end > start && /\s/.test(text[end - 1] as string)) end -= 1;
  while (end - start > sentenceLengthMax) {
    const cut = cutPosition(text, start, start + sentenceLengthMax);
    pushTrimmed(spans, text, start, cut);
    start = cut;
    while (start < end && /\s/.test(text[start] as string)) start += 1;
  }
  if (end > start) spans.push({ start, end });
}

/**
 * The best place to cut before `to`: white space or a comma in the last third, else between two
 * whole characters.
 */
function cutPosition(text: string, from: number, to: number): number {
  const earliest = to - Math.floor((to - from) / 3);
  for (let at = to; at > earliest; at -= 1) {
    if (/[\s,;:，、；：]/.test(text[at - 1] as string)) return at;
  }
  const last = text.charCodeAt(to - 1);
  return last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}
