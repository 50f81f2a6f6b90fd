/** Maximum number of searchable words per event. */
const WORDS_MAX = 400;
const WORD_LENGTH_MAX = 40;
/** Of a long text only its beginning is found again. */
const TEXT_LENGTH_MAX = 4_000;
/** Shorter words must match exactly: too many begin with them. */
const PREFIX_LENGTH_MIN = 3;

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const UNSPACED = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}]';
const WORD = new RegExp(`${ID}|${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{N}])+`, 'gu');
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
const IS_ASCII = /^[\x20-\x7e]*$/;
const ASCII_WORD = new RegExp(`${ID}|[a-z0-9]+`, 'g');

/** The words of a text in order; ids are words too. */
function wordsOf(text: string): string[] {
  const start = text.slice(0, TEXT_LENGTH_MAX);
  // Nearly all that events hold: the same words as below, in half the time.
  if (IS_ASCII.test(start)) {
    const ascii = start.toLowerCase().match(ASCII_WORD) ?? [];
    return ascii.map((word) => word.slice(0, WORD_LENGTH_MAX));
  }
  const found = start.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  return found.flatMap((word) =>
    IS_UNSPACED.test(word) ? pairsOf(word) : word.slice(0, WORD_LENGTH_MAX),
  );
}

/** Where words are written without spaces, two characters each, overlapping. */
function pairsOf(text: string): string[] {
  const characters = [...text];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** A placeholder in a query for the organization that it is made in. */
export const ANY_ORGANIZATION = '?';

/**
 * Words have a prefix for their organization, so that a search reads nothing of another one. It
 * need not be unique: results are filtered by the whole id.
 */
const marked = (mark: string, word: string) => `'${mark}:${word}'`;
export const MARK_LENGTH = 4;

/** The words of texts for PostgreSQL's text search: a `tsvector`. */
export function searchVector(organizationId: string, texts: Iterable<string>): string {
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of wordsOf(text)) if (words.size < WORDS_MAX) words.add(word);
  }
  const mark = organizationId.slice(-MARK_LENGTH);
  return Array.from(words, (word) => marked(mark, word)).join(' ');
}

/**
 * A `tsquery` for each of the words, or words with that prefix. A text without words matches
 * nothing.
 */
export function searchQuery(text: string): string {
  const words = wordsOf(text).map((word) => {
    const isPrefix = word.length >= PREFIX_LENGTH_MIN && !IS_UNSPACED.test(word);
    return marked(ANY_ORGANIZATION, word) + (isPrefix ? ':*' : '');
  });
  return words.join(' & ') || marked(ANY_ORGANIZATION, '');
}
