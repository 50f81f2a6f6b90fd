import { type Question, questionsOf } from '../../built-in/question.ts';
import type { Language } from '../../built-in/stop-words.ts';
import { detectLanguage, fold, subjectsOf } from '../../built-in/terms.ts';
import type { PlanRequest } from '../planner.ts';
import { addressesIn, siteOf, withoutAddresses } from './addresses.ts';
import { type AskedFacts, type Fact, factsAsked } from './page-facts.ts';

export type Ranking = {
  order: 'cheapest' | 'dearest';
  /** Null: all of them. */
  count: number | null;
};

export type Goal = {
  text: string;
  language: Language;
  /** Where to look, in this order. */
  addresses: string[];
  /** Sites that may be visited. */
  sites: ReadonlySet<string>;
  /** What is to be found out, each for itself. */
  parts: Question[];
  /** The things that it is about, without the words of asking and comparing. */
  subjects: { word: string; term: string }[];
  ranking: Ranking | null;
  /** How many of the newest entries; null where it asks for something else. */
  newest: number | null;
  isList: boolean;
  asksPrice: boolean;
  /** What only a person may do, as the goal says it: "send", "order". */
  personal: string | null;
  /** What to report of each page that it names, whatever the page is about. */
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
const NEWEST =
  /\b(?:latest|newest|most recent|recent|neueste\w*|aktuellste\w*|letzten?|derniere?s?|recente?s?|ultim[oa]s?)\b/;
const LISTS =
  /\b(?:list|all|every|names? of|alle|auflisten|liste\w*|toutes?|tous|lister|todos|todas|tutt[ie])\b/;
const PERSONAL =
  /(?:^|\b(?:and|then|und|dann|et|puis) |[,;] )(?:please |bitte |then |dann |puis )*(send|submit|fill (?:in|out)|order|buy|purchase|book|reserve|register|sign up|sign in|log ?in|subscribe|pay|check ?out|upload|delete|bestelle?n?|buche?n?|kaufe?n?|melde|registriere?n?|abonniere?n?|sende?n?|commande[rz]?|achete[rz]?|reserve[rz]|inscri\w+|envoie[rz]?|envoye[rz])\b/;
/** Words of asking and comparing, of numbers and of the web itself: no page is found by them. */
const ASKING = new Set(
  `compare comparison page pages site sites website websites web address open visit look search
   read check browse gather collect note report cheap cheapest lowest low highest high expensive
   least best most dearest priciest latest newest recent new list name names item items total
   information info detail details two three four five six seven eight nine ten first top price
   prices cost costs much vergleiche vergleichen vergleich seite seiten webseite offne lies
   suche gunstigste gunstigsten billigste billigsten teuerste teuersten preis preise kostet
   kosten neueste neuesten zwei drei vier funf sechs auf finde liste ouvre ouvrez trouve trouver
   trouvez cherche chercher lis lire comparer prix coute cher chers chere cheres moins gilt
   gelten betragt betragen liegt apply applies derniers dernieres deux trois quatre cinq`.split(
    /\s+/,
  ),
);
const NUMBERS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  zwei: 2,
  drei: 3,
  vier: 4,
  funf: 5,
  sechs: 6,
  sieben: 7,
  acht: 8,
  neun: 9,
  zehn: 10,
  deux: 2,
  trois: 3,
  quatre: 4,
  cinq: 5,
  sept: 7,
  huit: 8,
  neuf: 9,
  dix: 10,
  dos: 2,
  tres: 3,
  cuatro: 4,
  cinco: 5,
  due: 2,
  tre: 3,
  quattro: 4,
  cinque: 5,
};
const countMax = 20;
const newestDefault = 3;
const partBreak =
  /(?<=[.;!?])\s+|\n+|,? (?:and|then|und|dann|et|puis|y|e) (?=(?:what|when|where|how|who|which|find|look|tell|get|note|read|compare|report|list|give|show|say|summari[sz]e|was|wann|wo|wie|wer|welche|finde|nenne|zeige|berichte|quel|quand|comment|combien|trouve|donne|dis|indique|dime|muestra|indica|the (?:page )?title|its title|the name|the price)\b)/i;

/** What a session is to find out, as far as rules can tell. */
export function readGoal({ goal, context, startUrls }: PlanRequest): Goal {
  const whole = withoutAddresses(goal);
  const language = detectLanguage(whole, '');
  const addresses = [...addressesIn(goal), ...addressesIn(context ?? ''), ...startUrls];
  const { facts, rest } = addresses.length > 0 ? factsAsked(clausesOf(whole)) : NO_FACTS;
  const text = facts.size > 0 ? rest : whole;
  const folded = fold(text);
  const asksPrice = PRICES.test(folded);
  return {
    text,
    language,
    addresses: [...new Set(addresses)],
    sites: new Set(addresses.map(siteOf)),
    parts: partsOf(text, language),
    subjects: subjectsIn(text, language),
    ranking: rankingOf(folded),
    newest: NEWEST.test(folded) ? (countBefore(folded, NEWEST) ?? newestDefault) : null,
    isList: LISTS.test(folded),
    asksPrice,
    personal: PERSONAL.exec(folded)?.[1] ?? null,
    facts,
  };
}

const NO_FACTS: AskedFacts = { facts: new Set(), rest: '' };

const clausesOf = (text: string): string[] => text.split(partBreak).filter((part) => part?.trim());

/** Nothing is asked for but facts of the pages themselves. */
export const asksOnlyFacts = ({ facts, text }: Goal): boolean => facts.size > 0 && text === '';

function rankingOf(folded: string): Ranking | null {
  for (const [order, pattern] of [
    ['cheapest', CHEAPEST],
    ['dearest', DEAREST],
  ] as const) {
    if (pattern.test(folded)) return { order, count: countBefore(folded, pattern) ?? 1 };
  }
  const isComparison = COMPARES.test(folded) && (PRICES.test(folded) || OFFERS.test(folded));
  return isComparison ? { order: 'cheapest', count: null } : null;
}

/** "The three cheapest", "the cheapest three", "die drei günstigsten". */
function countBefore(folded: string, pattern: RegExp): number | null {
  const number = `(\\d{1,2}|${Object.keys(NUMBERS).join('|')})`;
  const before = new RegExp(`\\b${number} (?:\\w+ ){0,2}?(?=${pattern.source})`).exec(folded)?.[1];
  const after = new RegExp(`(?:${pattern.source}) ${number}\\b`).exec(folded)?.[1];
  const found = before ?? after;
  if (found === undefined) return null;
  return Math.min(countMax, Math.max(1, NUMBERS[found] ?? Number(found)));
}

export function subjectsIn(text: string, language: Language): Goal['subjects'] {
  const subjects = new Map<string, string>();
  for (const { word, term } of subjectsOf(text, language)) {
    if (!ASKING.has(word) && !subjects.has(term)) subjects.set(term, word);
  }
  return [...subjects].map(([term, word]) => ({ word, term }));
}

/** A part without a subject of its own belongs to the one before. */
function partsOf(text: string, language: Language): Question[] {
  const parts: string[] = [];
  for (const part of clausesOf(text)) {
    const isOwn = subjectsIn(part, language).length > 0;
    if (isOwn || parts.length === 0) parts.push(part);
    else parts[parts.length - 1] = `${parts.at(-1)} ${part}`;
  }
  return parts
    .flatMap((part) =>
      questionsOf(part, language).map((question) => {
        const kept = question.terms.flatMap((term, at) =>
          ASKING.has(question.words[at] ?? '') ? [] : [{ term, word: question.words[at] ?? term }],
        );
        const wanted = question.wanted ?? (PRICES.test(fold(part)) ? 'number' : null);
        return {
          ...question,
          wanted,
          terms: kept.map(({ term }) => term),
          words: kept.map(({ word }) => word),
          focus: null,
        };
      }),
    )
    .filter(({ terms }) => terms.length > 0);
}
