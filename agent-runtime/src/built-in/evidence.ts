import type { Passage } from '../engine.ts';
import { confidenceOf, confidenceWanted } from './confidence.ts';
import {
  atLeast,
  frequenciesOf,
  type Hits,
  hitsOf,
  type IndexedPassage,
  indexPassage,
  matcherFor,
  share,
  sum,
  vocabularyOf,
} from './passage-index.ts';
import { bestPlace, type Place, type Weighing } from './place.ts';
import type { Question } from './question.ts';
import { quoteAt } from './quote.ts';
import type { Language } from './stop-words.ts';
import { detectLanguage, termsOf, wordsIn } from './terms.ts';
import { isAskingWord } from './wanted.ts';

/** The best place of a passage for a question. */
export type Evidence = Place & {
  passage: Passage;
  /** How likely the best passage is to answer the question: 0 to 1, and 0 for all others. */
  confidence: number;
  /** Whether the best passage is worth quoting as near to the question: on the same scale. */
  nearness: number;
  /** Enough for an answer. */
  holds: boolean;
};

/** From this share of a question's weight on a further passage is quoted beside the best. */
const coverageWanted = 0.86;
/** What a passage without rivals leads by, if it meets all of the question. */
const leadOfLone = 0.3;
/** Where there is nothing else to search, it leads by less, the less of the question it meets. */
const coveragePower = 3;
/** Of words such as "reason" and "difference", which ask, and hardly ever stand in an answer. */
const askingWeight = 0.4;
/** A small word of nearly every passage tells nothing. */
const smallRarityMin = 0.3;
/** Among few candidates, all of which were found by it, a word would seem common that is not. */
const passagesAssumed = 100;
/** Beside one rare word the others of a question would count for nothing, and it beside none. */
const rarityLimits = { min: 0.6, max: 3.5 };

export type Library = { passages: IndexedPassage[]; vocabulary: Set<string>; language: Language };

export function libraryOf(passages: Passage[], language: Language): Library {
  const indexed = passages.map((passage) => indexPassage(passage, language));
  return { passages: indexed, vocabulary: vocabularyOf(indexed), language };
}

/** The evidence of every passage that meets any term of the question, the best first. */
export function evidenceFor(question: Question, library: Library): Evidence[] {
  const { passages, vocabulary, language } = library;
  const matcher = matcherFor(question.terms, vocabulary, language);
  const counts = passages.map((passage) => frequenciesOf(wordsOf(passage), matcher));
  const met = passages.map((passage) => hitsOf(wordsOf(passage), matcher));
  const weights = question.terms.map(
    (term, at) => rarity(at, met) * (isAskingWord(term) ? askingWeight : 1),
  );
  const small = raritiesOf(question.small, passages);
  const weighing: Weighing = { question, matcher, weights, total: sum(weights), small };
  const inArticles = hitsByArticle(passages, met);
  const aside = matcherFor(question.context, vocabulary, language);
  const lexical = passages.map((passage, at) =>
    relevance(passage, counts[at] as Hits, weights, averageLength(passages)),
  );
  const lexicalMax = Math.max(...lexical, Number.EPSILON);
  const found: Evidence[] = [];
  passages.forEach((passage, at) => {
    if (lexical[at] === 0) return;
    const inArticle = inArticles.get(passage.passage.articleId) ?? [];
    const place = bestPlace(passage, inArticle, weighing);
    const context = share(
      hitsOf(wordsOf(passage), aside),
      question.context.map(() => 1),
    );
    const score =
      place.score +
      (0.3 * (lexical[at] as number)) / lexicalMax +
      0.2 * context +
      0.1 * headingAsked(passage.passage.heading, question.text);
    found.push({
      ...place,
      passage: passage.passage,
      score,
      confidence: 0,
      nearness: 0,
      holds: false,
    });
  });
  found.sort((a, b) => b.score - a.score);
  const [best, second] = found;
  if (!best) return found;
  const confidenceWith = (lead: number) => confidenceOf({ ...best, lead, terms: weights.length });
  const lead = second ? best.score - second.score : leadOfLone;
  best.nearness = confidenceWith(lead);
  const kind = /[?？؟]/.test(question.text) ? 'question' : 'instruction';
  best.confidence =
    kind === 'question' && isWholeLibrary(best.passage, passages.length)
      ? confidenceWith(lead * best.coverage ** coveragePower)
      : best.nearness;
  best.holds = best.confidence >= confidenceWanted[kind];
  for (const one of found.slice(1)) one.holds = best.holds && one.coverage >= coverageWanted;
  return found;
}

/**
 * Whether a passage seems to be all that there is: one short article. A search hands over only what it
 * found, but an earlier part or a heading shows that the article has more, which met nothing.
 */
function isWholeLibrary({ ordinal, heading }: Passage, handedOver: number): boolean {
  return handedOver === 1 && ordinal === 0 && heading === null;
}

/**
 * The literal words of a passage that stand nearest to a text, for example to an answer that was
 * made from it.
 */
export function closestQuote(passage: Passage, text: string): string {
  const language = detectLanguage(text, passage.text);
  const library = libraryOf([passage], language);
  const terms = [...new Set(termsOf(text, language))].slice(0, 60);
  const question = {
    text,
    terms,
    words: terms,
    context: [],
    small: [],
    wanted: null,
    focus: null,
    names: new Set<string>(),
  };
  const best = evidenceFor(question, library)[0];
  return best?.quote ?? quoteAt(passage.text, library.passages[0]?.sentences ?? [], 0, 0);
}

/**
 * Headings often are the question itself ("How long you have"): the share of their words, small
 * ones too, that it has.
 */
function headingAsked(heading: string | null, question: string): number {
  const own = wordsIn(heading?.split(' > ').at(-1) ?? '');
  const asked = new Set(wordsIn(question));
  return own.length < 2 ? 0 : own.filter((word) => asked.has(word)).length / own.length;
}

function wordsOf(passage: IndexedPassage): string[] {
  return [...passage.sentences.flatMap((one) => one.terms), ...passage.heading, ...passage.title];
}

/** Inverse document frequency among the candidates; a word that stands for the term counts less. */
function rarity(term: number, met: Hits[]): number {
  const having = sum(met.map((hits) => hits[term] as number));
  const all = Math.max(met.length, passagesAssumed);
  const rare = Math.log(1 + (all - having + 0.5) / (having + 0.5));
  return Math.min(Math.max(rarityLimits.min, rare), rarityLimits.max);
}

function raritiesOf(words: string[], passages: IndexedPassage[]): Map<string, number> {
  return new Map(
    words.map((word) => {
      const having = passages.filter(({ sentences }) =>
        sentences.some((one) => one.small.has(word)),
      );
      const rare = Math.log((passages.length + 1) / (having.length + 0.5));
      return [word, Math.max(0, rare - smallRarityMin)];
    }),
  );
}

/** What any passage of the same article meets. */
function hitsByArticle(passages: IndexedPassage[], met: Hits[]): Map<string, Hits> {
  const hits = new Map<string, Hits>();
  passages.forEach(({ passage: { articleId } }, at) => {
    const own = met[at] as Hits;
    hits.set(articleId, atLeast(hits.get(articleId) ?? own, own));
  });
  return hits;
}

function averageLength(passages: IndexedPassage[]): number {
  return Math.max(1, sum(passages.map((passage) => passage.length)) / passages.length);
}

/** BM25 (k1 1.2, b 0.7) with headings counted again. */
function relevance(
  passage: IndexedPassage,
  counts: Hits,
  weights: number[],
  average: number,
): number {
  const norm = 1.2 * (0.3 + (0.7 * passage.length) / average);
  return sum(
    counts.map((count, term) => ((weights[term] as number) * count * 2.2) / (count + norm)),
  );
}
