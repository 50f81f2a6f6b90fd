import type { Passage } from '../engine.ts';
import {
  frequenciesOf,
  type Hits,
  hitsOf,
  type IndexedPassage,
  type IndexedSentence,
  indexPassage,
  type Matcher,
  matcherFor,
  vocabularyOf,
} from './passage-index.ts';
import type { Question } from './question.ts';
import { quoteAt } from './quote.ts';
import type { Language } from './stop-words.ts';
import { detectLanguage, termsOf, wordsIn } from './terms.ts';
import { holdsWanted, isKindWord } from './wanted.ts';

/** The best place of a passage for a question. */
export type Evidence = {
  passage: Passage;
  /** Literal text of the passage: one to three sentences, or a short list. */
  quote: string;
  /** Share of the question's weight that the quote meets, its heading and title helping: 0 to 1. */
  coverage: number;
  /** Compares the passages of one question; of no meaning beside it. */
  score: number;
  /** Enough for an answer. */
  holds: boolean;
};

const sentencesMax = 3;
/**
 * From this share of a question's weight on a quote counts as its answer. Less is enough for the
 * best, by as much as its score leaves the next behind: what many passages meet alike, none answers.
 */
const coverageWanted = 0.86;
const leadMax = 0.4;
const leadOfLone = 0.22;
/** A place without the kind of words that the question wants: less good, and hardly an answer. */
const wantedMissing = { score: 0.8, coverage: 0.6 };
/** A place that says nothing of the very thing that is asked for. */
const focusMissed = 0.7;
/** What is met beside the sentences counts for less: in the heading, the title, the article. */
const besideWeights = { heading: 0.8, title: 0.85, article: 0.4, nameInArticle: 0.8 };
const kindWeight = 0.7;
const smallWeight = 0.2;
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

type Weighing = {
  question: Question;
  matcher: Matcher;
  weights: number[];
  total: number;
  /** The rarity of the question's small words. */
  small: Map<string, number>;
};

/** The evidence of every passage that meets any term of the question, the best first. */
export function evidenceFor(question: Question, library: Library): Evidence[] {
  const { passages, vocabulary, language } = library;
  const matcher = matcherFor(question.terms, vocabulary, language);
  const counts = passages.map((passage) => frequenciesOf(wordsOf(passage), matcher));
  const met = passages.map((passage) => hitsOf(wordsOf(passage), matcher));
  const weights = question.terms.map((_, term) => rarity(term, met));
  const small = raritiesOf(question.small, passages);
  const weighing = { question, matcher, weights, total: sum(weights), small };
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
    found.push({ passage: passage.passage, ...place, score, holds: false });
  });
  found.sort((a, b) => b.score - a.score);
  const [best, second] = found;
  if (!best) return found;
  const lead = Math.min(second ? best.score - second.score : leadOfLone, leadMax);
  best.holds = best.coverage >= coverageWanted - lead;
  for (const one of found.slice(1)) one.holds = best.holds && one.coverage >= coverageWanted;
  return found;
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
    ...{ text, terms, words: terms, context: [], small: [], wanted: null, focus: null },
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

type Place = Omit<Evidence, 'passage' | 'holds'>;

/** Looks at every run of one to three sentences; a longer run must meet clearly more to win. */
function bestPlace(passage: IndexedPassage, inArticle: Hits, weighing: Weighing): Place {
  const { question, matcher, weights } = weighing;
  const around = hitsAround(passage, inArticle, weighing);
  const kind = question.terms.map((term) => (isKindWord(question.wanted, term) ? kindWeight : 0));
  const hits = passage.sentences.map((sentence) => hitsOf(sentence.terms, matcher));
  let best: Place = { quote: '', coverage: 0, score: Number.NEGATIVE_INFINITY };
  hits.forEach((_, from) => {
    let own: Hits = matcher.terms.map(() => 0);
    for (let to = from; to < Math.min(from + sentencesMax, hits.length); to += 1) {
      own = atLeast(own, hits[to] as Hits);
      const quote = quoteAt(passage.text, passage.sentences, from, to);
      const fits = holdsWanted(question.wanted, quote);
      const met = atLeast(atLeast(own, around), fits ? kind : around);
      const all = share(met, weights);
      const score =
        all * (fits ? 1 : wantedMissing.score) +
        0.05 * share(own, weights) +
        0.1 * phraseShare(passage, from, to, question.terms) +
        smallShare(passage.sentences.slice(from, to + 1), weighing) -
        0.05 * (to - from);
      if (score <= best.score) continue;
      const meetsFocus = isFocused(question, met, hits.slice(from, to + 1), passage, from);
      const coverage = all * (fits ? 1 : wantedMissing.coverage) * (meetsFocus ? 1 : focusMissed);
      best = { quote, coverage, score };
    }
  });
  return best;
}

function hitsAround(
  { heading, title }: IndexedPassage,
  inArticle: Hits,
  { question, matcher }: Weighing,
): Hits {
  const beside = atLeast(
    scaled(hitsOf(heading, matcher), besideWeights.heading),
    scaled(hitsOf(title, matcher), besideWeights.title),
  );
  return beside.map((hit, at) => {
    const isName = question.names.has(question.terms[at] as string);
    const weight = isName ? besideWeights.nameInArticle : besideWeights.article;
    return Math.max(hit, weight * (inArticle[at] ?? 0));
  });
}

/** How much the small words of the question that stand in the sentences add. */
function smallShare(sentences: IndexedSentence[], { small, total }: Weighing): number {
  const found = [...small].filter(([word]) => sentences.some((one) => one.small.has(word)));
  return total === 0 ? 0 : (smallWeight * sum(found.map(([, rare]) => rare))) / total;
}

/** What is counted ("how many witnesses") stands in one sentence with its number. */
function isFocused(
  { focus, wanted }: Question,
  met: Hits,
  hits: Hits[],
  { text, sentences }: IndexedPassage,
  from: number,
): boolean {
  if (focus === null) return true;
  if (wanted !== 'number') return (met[focus] as number) > 0;
  return hits.some((hit, at) => {
    const span = sentences[from + at];
    return (hit[focus] as number) > 0 && holdsWanted(wanted, text.slice(span?.start, span?.end));
  });
}

/**
 * How many neighbouring terms of the question are neighbours in the quoted sentences too: 0 to 1.
 */
function phraseShare(passage: IndexedPassage, from: number, to: number, terms: string[]): number {
  if (terms.length < 2) return 0;
  const pairs = new Set<string>();
  for (let at = from; at <= to; at += 1) {
    const words = passage.sentences[at]?.terms ?? [];
    for (let word = 1; word < words.length; word += 1)
      pairs.add(`${words[word - 1]} ${words[word]}`);
  }
  const met = terms.slice(1).filter((term, at) => pairs.has(`${terms[at]} ${term}`)).length;
  return met / (terms.length - 1);
}

function share(hits: Hits, weights: number[]): number {
  const total = sum(weights);
  return total === 0 ? 0 : sum(hits.map((hit, term) => hit * (weights[term] as number))) / total;
}

function scaled(hits: Hits, factor: number): Hits {
  return hits.map((hit) => hit * factor);
}

function atLeast(one: Hits, other: Hits): Hits {
  return one.map((hit, term) => Math.max(hit, other[term] as number));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
