import type { PlanRequest } from '@tallyhand/agent-runtime/browsing/planner';
import { type Question, questionsOf } from '../answers/question.ts';
import { numberWords, uniqueBy, wordsOf } from '../words/data.ts';
import type { Language } from '../words/language.ts';
import { detectLanguage, fold, type Subject, subjectsOf } from '../words/terms.ts';
import { addressesIn, siteOf, withoutAddresses } from './addresses.ts';
import { type Fact, factsAsked } from './page-facts.ts';

export type Ranking = {
  order: 'cheapest' | 'dearest';
  /** Null: all of them. */
  count: number | null;
};

export type Goal = {
  text: string;
  language: Language;
  /** The pages to open, in this order. */
  addresses: string[];
  /** Sites whose links may be followed. */
  sites: ReadonlySet<string>;
  /** The questions to answer. */
  parts: Question[];
  /** What the goal is about, without the words of asking and comparing. */
  subjects: Subject[];
  ranking: Ranking | null;
  /** What only a person may do, in the goal's word: "send", "order". */
  personal: string | null;
  /** What to report of each named page, whatever the page is about. */
  facts: ReadonlySet<Fact>;
};

const CHEAPEST =
  /\b(?:cheap(?:est|er)?|lowest (?:price|cost|fee)s?|least expensive|best price|gunstigst\w*|billigst\w*|preiswertest\w*|moins cher\w*|meilleurs? prix|mas barat\w+|piu economic\w+|goedkoopst\w*|mais barat\w+)\b/;
const DEAREST =
  /\b(?:most expensive|dearest|highest (?:price|cost|fee)s?|priciest|teuerst\w*|plus cher\w*|mas car[oa]s?|piu car[oaie]|duurst\w*|mais car[oa]s?)\b/;
const COMPARES = /\b(?:compar\w*|vergleich\w*|confront\w*|vergelijk\w*)\b/;
const PRICES =
  /\b(?:prices?|costs?|fees?|how much|pricing|preise?|kosten|kostet|gebuhr\w*|wie viel|prix|coute\w*|combien|precios?|cuesta|prezz[oi]|costa|prijs|prijzen)\b/;
const OFFERS = /\b(?:plans?|tariffs?|tarife?|tarifs?|abonnements?|offers?|angebote?|offres?)\b/;
const PERSONAL =
  /(?:^|\b(?:and|then|und|dann|et|puis) |[,;] )(?:please |bitte |then |dann |puis )*(send|submit|fill (?:in|out)|order|buy|purchase|book|reserve|register|sign up|sign in|log ?in|subscribe|pay|check ?out|upload|delete|bestelle?n?|buche?n?|kaufe?n?|melde|registriere?n?|abonniere?n?|sende?n?|commande[rz]?|achete[rz]?|reserve[rz]|inscri\w+|envoie[rz]?|envoye[rz])\b/;
/** Words of asking, comparing and counting: no page is found by them. */
const ASKING = new Set(wordsOf('goal-words'));
const COUNT_MAX = 20;
const PART_BREAK =
  /(?<=[.;!?])\s+|\n+|,? (?:and|then|und|dann|et|puis|y|e) (?=(?:what|when|where|how|who|which|find|look|tell|get|note|read|compare|report|list|give|show|say|summari[sz]e|was|wann|wo|wie|wer|welche|finde|nenne|zeige|berichte|quel|quand|comment|combien|trouve|donne|dis|indique|dime|muestra|indica|the (?:page )?title|its title|the name|the price)\b)/i;

/** Reads what a session is to find out, as far as rules can tell. */
export function readGoal({ goal, context, startUrls }: PlanRequest): Goal {
  const whole = withoutAddresses(goal);
  const language = detectLanguage(whole, '');
  const addresses = [...addressesIn(goal), ...addressesIn(context ?? ''), ...startUrls];
  const { facts, rest } = factsAsked(clausesOf(whole), addresses.length);
  const text = facts.size > 0 ? rest : whole;
  const folded = fold(text);
  return {
    text,
    language,
    addresses: [...new Set(addresses)],
    sites: new Set(addresses.map(siteOf)),
    parts: partsOf(text, language),
    subjects: subjectsIn(text, language),
    ranking: rankingOf(folded),
    personal: PERSONAL.exec(folded)?.[1] ?? null,
    facts,
  };
}

export const asksPrice = (text: string): boolean => PRICES.test(fold(text));

const clausesOf = (text: string): string[] => text.split(PART_BREAK).filter((part) => part?.trim());

/** The goal asks for nothing but facts of the pages themselves. */
export const asksOnlyFacts = ({ facts, text }: Goal): boolean => facts.size > 0 && text === '';

function rankingOf(folded: string): Ranking | null {
  if (CHEAPEST.test(folded)) return { order: 'cheapest', count: countBeside(folded, CHEAPEST) };
  if (DEAREST.test(folded)) return { order: 'dearest', count: countBeside(folded, DEAREST) };
  const isComparison = COMPARES.test(folded) && (PRICES.test(folded) || OFFERS.test(folded));
  return isComparison ? { order: 'cheapest', count: null } : null;
}

/** "The three cheapest", "the cheapest three", "die drei günstigsten". */
function countBeside(folded: string, pattern: RegExp): number {
  const number = `(\\d{1,2}|${[...numberWords.keys()].join('|')})`;
  const before = new RegExp(`\\b${number} (?:\\w+ ){0,2}?(?=${pattern.source})`).exec(folded)?.[1];
  const after = new RegExp(`(?:${pattern.source}) ${number}\\b`).exec(folded)?.[1];
  const found = before ?? after ?? '1';
  return Math.min(COUNT_MAX, Math.max(1, numberWords.get(found) ?? Number(found)));
}

function subjectsIn(text: string, language: Language): Subject[] {
  const all = subjectsOf(text, language).filter(({ word }) => !ASKING.has(word));
  return uniqueBy(all, ({ term }) => term);
}

/** A part without a subject belongs to the previous part. */
function partsOf(text: string, language: Language): Question[] {
  const parts: string[] = [];
  for (const part of clausesOf(text)) {
    const isOwn = subjectsIn(part, language).length > 0;
    if (isOwn || parts.length === 0) parts.push(part);
    else parts[parts.length - 1] = `${parts.at(-1)} ${part}`;
  }
  return parts
    .flatMap((part) => questionsOf(part, language).map((question) => withoutAsking(question, part)))
    .filter(({ terms }) => terms.length > 0);
}

function withoutAsking(question: Question, part: string): Question {
  const { terms, words, wanted } = question;
  const isKept = (_: string, at: number) => !ASKING.has(words[at] ?? '');
  return {
    ...question,
    terms: terms.filter(isKept),
    words: words.filter(isKept),
    wanted: wanted ?? (asksPrice(part) ? 'number' : null),
    counted: -1,
  };
}
