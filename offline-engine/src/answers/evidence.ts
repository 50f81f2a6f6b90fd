import type { Passage } from '@tallyhand/agent-runtime/engine';
import type { Language } from '../words/language.ts';
import { detectLanguage, termsOf } from '../words/terms.ts';
import {
  atLeast,
  type Hits,
  type IndexedPassage,
  indexPassage,
  type Met,
  matcherFor,
  meet,
  sum,
} from './passage-index.ts';
import { bestPlace, type Place, type Weighing } from './place.ts';
import { isQuestion, type Question, questionsOf } from './question.ts';
import { quoteAt } from './quote.ts';

/** The best place of a passage for a question. */
export type Evidence = Place & {
  passage: Passage;
  /** How likely the best passage is to answer the question: 0 to 1, and 0 for all others. */
  confidence: number;
  /** The best passage: enough for an answer. */
  holds: boolean;
};

/** The lead of a passage without rivals, if it meets all of the question. */
const LEAD_OF_LONE = 0.3;
/** Where there is nothing else to search, it leads by less, the less of the question it meets. */
const COVERAGE_POWER = 3;
/** A small word of nearly every passage says nothing. */
const SMALL_RARITY_MIN = 0.3;
/** Among few candidates, all found by the same word, that word would seem common. */
const PASSAGES_ASSUMED = 100;
const RARITY = { min: 0.6, max: 3.5 };
const LEXICAL_WEIGHT = 0.3;
const TERMS_OF_TEXT_MAX = 60;

export type Library = { passages: IndexedPassage[]; vocabulary: Set<string>; language: Language };

export function libraryOf(passages: Passage[], language: Language): Library {
  const indexed = passages.map((passage) => indexPassage(passage, language));
  const vocabulary = new Set<string>();
  for (const { places, heading, title } of indexed) {
    for (const term of places.keys()) vocabulary.add(term);
    for (const term of heading) vocabulary.add(term);
    for (const term of title) vocabulary.add(term);
  }
  return { passages: indexed, vocabulary, language };
}

/** The evidence of every passage that meets any term of the question, the best first. */
export function evidenceFor(question: Question, library: Library): Evidence[] {
  const { passages, vocabulary, language } = library;
  const matcher = matcherFor(question.terms, vocabulary, language);
  const met = passages.map((passage) => meet(passage, matcher));
  const weights = question.terms.map((_, at) => rarity(at, met));
  const small = raritiesOf(question.small, passages);
  const weighing: Weighing = { question, matcher, weights, small };
  const inArticles = hitsByArticle(passages, met);
  const lexical = relevancesOf(passages, met, weights);
  const lexicalMax = Math.max(...lexical, Number.EPSILON);
  const found = passages.flatMap((passage, at): Evidence[] => {
    const relevance = lexical[at] ?? 0;
    if (relevance === 0) return [];
    const inArticle = inArticles.get(passage.passage.articleId) ?? [];
    const place = bestPlace(passage, met[at] as Met, inArticle, weighing);
    const score = place.score + (LEXICAL_WEIGHT * relevance) / lexicalMax;
    return [{ ...place, passage: passage.passage, score, confidence: 0, holds: false }];
  });
  found.sort((a, b) => b.score - a.score);
  return judged(found, question, passages.length);
}

/** Decides how likely the first is to answer the question, and whether that is enough. */
function judged(found: Evidence[], question: Question, handedOver: number): Evidence[] {
  const [best, second] = found;
  if (!best) return found;
  const asked = isQuestion(question.text);
  const ahead = second ? best.score - second.score : LEAD_OF_LONE;
  const isAlone = asked && isWholeLibrary(best.passage, handedOver);
  const lead = isAlone ? ahead * best.coverage ** COVERAGE_POWER : ahead;
  best.confidence = confidenceOf({ ...best, lead, terms: question.terms.length });
  best.holds = best.confidence >= confidenceWanted[asked ? 'question' : 'instruction'];
  return found;
}

/**
 * Whether a passage seems to be a short article that is all there is. A search hands over only what it
 * found, but an earlier part or a heading shows that the article has more.
 */
function isWholeLibrary({ ordinal, heading }: Passage, handedOver: number): boolean {
  return handedOver === 1 && ordinal === 0 && heading === null;
}

/** The literal part of a passage that is closest to a text, for example to an answer made from it. */
export function closestQuote(passage: Passage, text: string): string {
  const language = detectLanguage(text, passage.text);
  const library = libraryOf([passage], language);
  const terms = [...new Set(termsOf(text, language))].slice(0, TERMS_OF_TEXT_MAX);
  const question: Question = { text, terms, words: terms, small: [], wanted: null, counted: -1 };
  const best = evidenceFor(question, library)[0];
  return best?.quote ?? quoteAt(passage.text, library.passages[0]?.sentences ?? [], 0, 0);
}

/** Inverse document frequency among the candidates. A word that stands for the term counts less. */
function rarity(term: number, met: Met[]): number {
  const having = sum(met.map(({ best }) => best[term] ?? 0));
  const all = Math.max(met.length, PASSAGES_ASSUMED);
  const rare = Math.log(1 + (all - having + 0.5) / (having + 0.5));
  return Math.min(Math.max(RARITY.min, rare), RARITY.max);
}

function raritiesOf(words: string[], passages: IndexedPassage[]): Map<string, number> {
  return new Map(
    words.map((word) => {
      const having = passages.filter(({ smallPlaces }) => smallPlaces.has(word));
      const rare = Math.log((passages.length + 1) / (having.length + 0.5));
      return [word, Math.max(0, rare - SMALL_RARITY_MIN)];
    }),
  );
}

/** What any passage of the same article meets. */
function hitsByArticle(passages: IndexedPassage[], met: Met[]): Map<string, Hits> {
  const hits = new Map<string, Hits>();
  passages.forEach(({ passage: { articleId } }, at) => {
    const own = (met[at] as Met).best;
    hits.set(articleId, atLeast(hits.get(articleId) ?? own, own));
  });
  return hits;
}

/** BM25 (k1 1.2, b 0.7) of each passage. */
function relevancesOf(passages: IndexedPassage[], met: Met[], weights: number[]): number[] {
  const average = Math.max(1, sum(passages.map(({ length }) => length)) / passages.length);
  return passages.map(({ length }, passage) => {
    const norm = 1.2 * (0.3 + (0.7 * length) / average);
    const { sums } = met[passage] as Met;
    return sum(sums.map((count, at) => ((weights[at] ?? 0) * count * 2.2) / (count + norm)));
  });
}

type Signs = Pick<Place, 'coverage' | 'unmet' | 'words' | 'isOfKind'> & {
  /** How far its score is ahead of the next passage's. */
  lead: number;
  /** Subject terms of the question. */
  terms: number;
};

const leadMax = 0.4;
const nearlyAll = 0.86;
/**
 * Rounded weights of a logistic regression over the questions of the tuning half, the development
 * sets and the handbook, cross-validated in ten parts. A passage that leads the others clearly, meets
 * several terms and leaves no word unmet is likely to answer the question; a long
 * quote meets some words by chance.
 */
const weights = { lead: 4.3, nearlyAll: 0.5, unmet: -3.5, otherKind: -1.6 };
const counts = { terms: 2, words: -1 };
const constant = 0.2;

/**
 * For a question, set so that nine in ten questions without an answer are recognized. An instruction,
 * such as a step of a playbook, is helped by a likely answer.
 */
export const confidenceWanted = { question: 0.73, instruction: 0.5 };

/** How likely it is that the best place answers the question: 0 to 1. */
export function confidenceOf(signs: Signs): number {
  const sum =
    constant +
    weights.lead * Math.sqrt(Math.min(signs.lead, leadMax)) +
    (signs.coverage >= nearlyAll ? weights.nearlyAll : 0) +
    weights.unmet * signs.unmet +
    (signs.isOfKind ? 0 : weights.otherKind) +
    counts.terms * Math.log(signs.terms) +
    counts.words * Math.log(1 + signs.words);
  return 1 / (1 + Math.exp(-sum));
}

/** `coverage`: how much of the question the passage meets, from 0 to 1. */
export type RankedPassage = { readonly passage: Passage; readonly coverage: number };

/**
 * The passages in the order of how well they meet the question; of an input with several questions
 * each has its turn. What meets none of its words stands last, in the order that it came.
 */
export function rankPassages(input: string, passages: Passage[]): RankedPassage[] {
  const language = detectLanguage(input, passages[0]?.text.slice(0, 500) ?? '');
  const library = libraryOf(passages, language);
  const rankings = questionsOf(input, language).map((question) => evidenceFor(question, library));
  const ranked = new Map<Passage, number>();
  for (let at = 0; at < passages.length; at += 1) {
    for (const ranking of rankings) {
      const { passage, coverage } = ranking[at] ?? {};
      if (passage) ranked.set(passage, Math.max(coverage ?? 0, ranked.get(passage) ?? 0));
    }
  }
  for (const passage of passages) if (!ranked.has(passage)) ranked.set(passage, 0);
  return Array.from(ranked, ([passage, coverage]) => ({ passage, coverage }));
}
