import { withoutBrokenLines } from './broken-lines.ts';
import type { MarkdownNode } from './markdown.tsx';

/** A passage that an answer rests on, with its exact words. */
export type Source = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  quote: string;
  /** Of an attached document, which has no page. */
  isAttachment?: true | undefined;
};

/** A place in a text, and the sources (counted from 1) of the sentence that ends there. */
type Citation = { readonly at: number; readonly sources: readonly number[] };

/** The share of a sentence's words that one sentence of the passage must contain. */
const SHARED_MIN = 0.8;
const WORDS_MIN = 3;
const VERBATIM_WORDS_MIN = 2;
/** Comparing takes time that grows with both; no answer that people read is as long. */
const TEXT_MAX = 20_000;
const QUOTE_MAX = 4_000;
const STEM_LENGTH = 5;

/** A word that turns a sentence into its opposite, in the ten languages of the product. */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not?|never|none|cannot|without|\p{L}+n['’]t|nicht|nie|kein\p{L}*|ohne|pas|jamais|aucune?|sans|nunca|jamás|sin|ning\p{L}+|non|mai|nessun\p{L}*|senza|não|nem|sem|nenhum\p{L}*|не|нет|нельзя|без|никогда)(?![\p{L}\p{N}])|[不没沒无無未]|(?:ません|ない|なく|なし)|(?:없|않|아니|못)/giu;

/** The language of an answer is not the page's, and not known. */
const UNKNOWN = 'und';

type Sentence = { readonly start: number; readonly end: number; readonly text: string };

function sentencesOf(text: string): Sentence[] {
  const segments = new Intl.Segmenter(UNKNOWN, { granularity: 'sentence' }).segment(text);
  return [...segments].flatMap(({ segment, index }) => {
    // A line of its own is a statement of its own, also without a full stop.
    let start = index;
    return segment.split('\n').map((line) => {
      const sentence = { start, end: start + line.trimEnd().length, text: line.trim() };
      start += line.length + 1;
      return sentence;
    });
  });
}

const plain = (text: string) => text.normalize('NFKC').toLowerCase();

const wordsOf = (text: string) =>
  [...new Intl.Segmenter(UNKNOWN, { granularity: 'word' }).segment(plain(text))].flatMap(
    ({ segment, isWordLike }) => (isWordLike ? segment : []),
  );

const hasNumber = (word: string) => /\p{N}/u.test(word);
/** Latin and Cyrillic words of up to three letters say little, and are in every sentence. */
const saysSomething = (word: string) =>
  hasNumber(word) || word.length > 3 || !/^[\p{Script=Latin}\p{Script=Cyrillic}'’]+$/u.test(word);
/** Numbers count as they are written, and of other words the beginning. */
const stemOf = (word: string) => (hasNumber(word) ? word : word.slice(0, STEM_LENGTH));
const isNegated = (text: string) => (plain(text).match(NEGATION)?.length ?? 0) % 2 === 1;

type Statement = {
  readonly words: string;
  readonly stems: ReadonlySet<string>;
  readonly isNegated: boolean;
};

const statementOf = (text: string): Statement => {
  const words = wordsOf(text);
  return {
    words: ` ${words.join(' ')} `,
    stems: new Set(words.filter(saysSomething).map(stemOf)),
    isNegated: isNegated(text),
  };
};

/** Whether a sentence says the same as one of a passage's, as far as its words can show. */
function supports(said: Statement, passage: readonly Statement[]): boolean {
  const [own, count] = [[...said.stems], said.stems.size];
  return passage.some(({ words, stems, isNegated: isDenied }) => {
    if (isDenied !== said.isNegated) return false;
    if (words.includes(said.words)) return count >= VERBATIM_WORDS_MIN;
    if (count < WORDS_MIN) return false;
    const shared = own.filter((stem) => stems.has(stem));
    const hasNumbers = own.every((stem) => !hasNumber(stem) || stems.has(stem));
    return hasNumbers && shared.length / count >= SHARED_MIN;
  });
}

/**
 * Where a plain text rests on which sources. A sentence is cited only if a sentence of the passage
 * has its words, all its numbers, and does not deny what it says; questions never are. Sentences
 * after one another with the same sources share one citation, after the last of them.
 */
function citationsOf(text: string, sources: readonly Source[]): Citation[] {
  if (sources.length === 0 || text.length > TEXT_MAX) return [];
  const passages = sources.map(({ quote }) =>
    // As the text is shown, whose lines are joined, too.
    sentencesOf(withoutBrokenLines(quote.slice(0, QUOTE_MAX)))
      .map((sentence) => statementOf(sentence.text))
      .filter(({ stems }) => stems.size > 0),
  );
  const citations: Citation[] = [];
  let last = '';
  for (const { end, text: sentence } of sentencesOf(text)) {
    if (sentence === '') continue;
    const said = statementOf(sentence);
    const isQuestion = /[?？]["”»」]?$/.test(sentence);
    const found = isQuestion
      ? []
      : passages.flatMap((passage, index) => (supports(said, passage) ? index + 1 : []));
    if (found.length > 0 && last === String(found)) citations.pop();
    if (found.length > 0) citations.push({ at: end, sources: found });
    last = String(found);
  }
  return citations;
}

/** Blocks of statements. Headings and code are none. */
const CITED_BLOCKS = ['paragraph', 'tableCell'];

/**
 * Puts an element `cite` after each supported sentence of a Markdown text's tree; its title has the
 * numbers of the sources.
 */
export function citeTree(node: MarkdownNode, sources: readonly Source[]): void {
  if (CITED_BLOCKS.includes(node.type)) citeBlock(node, sources);
  else for (const child of node.children ?? []) citeTree(child, sources);
}

/** Some words of a block, and where a citation may follow them: a link takes none within itself. */
type Leaf = {
  start: number;
  end: number;
  node: MarkdownNode;
  parent: MarkdownNode;
  isWhole: boolean;
};

function citeBlock(block: MarkdownNode, sources: readonly Source[]): void {
  let text = '';
  const leaves: Leaf[] = [];
  const read = (parent: MarkdownNode, around?: Pick<Leaf, 'node' | 'parent'>) => {
    for (const child of parent.children ?? []) {
      const isLink = child.type === 'link' || child.type === 'linkReference';
      const place = around ?? { node: child, parent };
      if (child.children) read(child, around ?? (isLink ? place : undefined));
      const value = child.type === 'break' ? '\n' : child.children ? '' : (child.value ?? '');
      const isWhole = around !== undefined || child.type !== 'text';
      if (value)
        leaves.push({ ...place, start: text.length, end: text.length + value.length, isWhole });
      text += value;
    }
  };
  read(block);
  // From the end, so that the places before stay as they are.
  for (const { at, sources: numbers } of citationsOf(text, sources).toReversed()) {
    const leaf = leaves.find(({ start, end }) => start < at && at <= end);
    if (leaf) insertAfter(leaf, at, numbers);
  }
}

function insertAfter(
  { node, parent, start, isWhole }: Leaf,
  at: number,
  numbers: readonly number[],
) {
  const siblings = parent.children ?? [];
  const mark = {
    type: 'citation',
    children: [],
    data: { hName: 'cite', hProperties: { title: numbers.join(' ') } },
  };
  const rest = isWhole ? '' : (node.value ?? '').slice(at - start);
  if (rest) node.value = (node.value ?? '').slice(0, at - start);
  siblings.splice(
    siblings.indexOf(node) + 1,
    0,
    mark,
    ...(rest ? [{ type: 'text', value: rest }] : []),
  );
}
