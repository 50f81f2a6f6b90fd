import { uniqueBy } from '../words/data.ts';
import { fold } from '../words/terms.ts';
import type { Ranking } from './goal.ts';
import { nodesIn, type OutlineNode, textIn } from './outline.ts';
import type { Finding } from './trail.ts';

export type Price = {
  amount: number;
  currency: string;
  /** How many of them make a year; null for what is paid once. */
  perYear: number | null;
};

/** Something with a price, in the page's own words. */
export type Priced = { name: string; price: string };

const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  $: 'USD',
  '¥': 'JPY',
  '₹': 'INR',
  zł: 'PLN',
  kr: 'SEK',
};
const sign = '(?:€|£|\\$|¥|₹|zł|kr\\b|EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CAD|AUD|JPY|INR)';
const number =
  "\\d{1,3}(?:[.,'’\\u00a0\\u202f ]\\d{3})*(?:[.,](?:\\d{1,2}|[-–]+))?(?!\\d)|\\d+(?:[.,]\\d{1,2})?";
const money = new RegExp(`(${sign})\\s?(${number})|(${number})\\s?(${sign})`, 'u');
const free = /^(?:free|kostenlos|gratis|gratuite?|for free|\S+ free)$/i;
const PERIODS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:month|monthly|mo|monat|monatlich|mtl|mois|mensuel\w*|mes|mese|maand)\b/, 12],
  [/\b(?:year|yearly|yr|annual\w*|annum|jahr|jahrlich|an|annee|annuel\w*|ano|anno|jaar)\b/, 1],
  [/\b(?:week|weekly|wk|woche|wochentlich|semaine|semana|settimana)\b/, 52],
  [/\b(?:day|daily|tag|taglich|jour|dia|giorno|dag)\b/, 365],
];
const priceLengthMax = 60;
const pricedMax = 60;

/** The first price of a text. */
export function priceIn(text: string): Price | null {
  const [, signBefore, after, before, signAfter] = money.exec(text) ?? [];
  const written = after ?? before;
  const mark = signBefore ?? signAfter;
  if (written === undefined || mark === undefined) {
    return free.test(text.trim()) ? { amount: 0, currency: '', perYear: null } : null;
  }
  const folded = fold(text);
  const perYear = PERIODS.find(([pattern]) => pattern.test(folded))?.[1] ?? null;
  return { amount: amountOf(written), currency: SIGNS[mark] ?? mark, perYear };
}

/** The last of points and commas parts the cents, where one or two digits follow it. */
function amountOf(written: string): number {
  const bare = written.replace(/[\s'’\u00a0\u202f]/g, '').replace(/[.,][-–]+$/, '');
  const [, whole = bare, cents = '0'] = /^(.*)[.,](\d{1,2})$/.exec(bare) ?? [];
  return Number(`${whole.replace(/[.,]/g, '')}.${cents}`);
}

/** What a page offers, with its price: rows, cards and list items. */
export function pricedIn(root: OutlineNode): Priced[] {
  const found: Priced[] = [];
  visit(root);
  return uniqueBy(found, ({ name, price }) => `${name}\n${price}`).slice(0, pricedMax);

  function visit(node: OutlineNode): boolean {
    // Each child is visited: `some` would stop at the first price.
    const below = node.children.map(visit);
    if (below.includes(true)) return true;
    if (SKIPPED.has(node.role)) return false;
    const text = textIn(node);
    if (text.length > priceLengthMax || !priceIn(text)) return false;
    const named = namedItself(text) ?? {
      name: columnOf(node) ?? headingNear(node),
      price: withPeriod(node, text),
    };
    if (named.name !== '') found.push(named);
    return true;
  }
}

/** What a price was before, and what choices say, is no offer. */
const SKIPPED = new Set(['deletion', 'option', 'textbox', 'searchbox', 'button']);

/** "Basic – €9 per month", "Standard delivery: €4.90". */
function namedItself(text: string): Priced | null {
  const [, name, price] = /^(.*?\p{L}.*?)\s*(?:[:–—|]|\s-)\s+(.*)$/u.exec(text) ?? [];
  return name && price && !priceIn(name) && priceIn(price) ? { name, price } : null;
}

/** In a row of several prices each belongs to the heading of its column. */
function columnOf(node: OutlineNode): string | null {
  let cell = node;
  while (cell.parent && cell.parent.role !== 'row') cell = cell.parent;
  const row = cell.parent;
  const prices = row?.children.filter((one) => priceIn(textIn(one)) !== null) ?? [];
  if (!row || prices.length < 2) return null;
  let table = row;
  while (table.parent && (table.role === 'row' || table.role === 'rowgroup')) table = table.parent;
  const first = [...nodesIn(table)].find(({ role }) => role === 'row') ?? row;
  return textIn(first.children[row.children.indexOf(cell)] ?? row).slice(0, priceLengthMax);
}

/** "€9", and beside it "per month". */
function withPeriod(node: OutlineNode, text: string): string {
  const siblings = node.parent?.children ?? [];
  const next = siblings[siblings.indexOf(node) + 1];
  const beside = next ? textIn(next) : '';
  const isPeriod = beside.length <= 24 && PERIODS.some(([one]) => one.test(fold(beside)));
  return isPeriod && priceIn(text)?.perYear === null ? `${text} ${beside}` : text;
}

const NAMING = new Set(['heading', 'link', 'rowheader', 'strong', 'term', 'cell', 'caption']);
const nameLengthMax = 120;

/** The nearest heading before a price, else the first name before it in the element around it. */
function headingNear(node: OutlineNode): string {
  for (let child = node, at = node.parent; at; child = at, at = at.parent) {
    const before = at.children.slice(0, at.children.indexOf(child)).flatMap(namesIn);
    const found = before.findLast(({ role }) => role === 'heading') ?? before[0];
    const name = found ? textIn(found).slice(0, nameLengthMax) : at.name;
    if (name !== '' && at.role !== 'document') return name;
  }
  return '';
}

function namesIn(node: OutlineNode): OutlineNode[] {
  const isName = NAMING.has(node.role) && /\p{L}/u.test(textIn(node));
  return isName ? [node] : node.children.flatMap(namesIn);
}

export type Ranked = Finding & { price: Price };

/**
 * The findings that have a price, in the order that the goal asks for. Prices in different currencies
 * can't be compared: those in the most common one count. What is paid yearly and monthly is compared
 * by the year; of like things that are paid once and by the month, the more common count.
 */
export function rankedBy({ order }: Ranking, findings: readonly Finding[]): Ranked[] {
  const priced = findings.flatMap((finding) => {
    const price = priceIn(finding.quote);
    return price ? [{ ...finding, price }] : [];
  });
  const unique = uniqueBy(priced, ({ about, price }) => `${about.toLowerCase()} ${price.amount}`);
  const currency = mostCommon(unique.map(({ price }) => price.currency).filter(Boolean));
  const sameCurrency = unique.filter(({ price }) => ['', currency].includes(price.currency));
  const isRegular = mostCommon(
    sameCurrency.filter(({ price }) => price.amount > 0).map(({ price }) => price.perYear !== null),
  );
  const comparable = sameCurrency.filter(
    ({ price }) => price.amount === 0 || (price.perYear !== null) === isRegular,
  );
  const direction = order === 'cheapest' ? 1 : -1;
  return comparable.sort((a, b) => direction * (perYearOf(a.price) - perYearOf(b.price)));
}

const perYearOf = ({ amount, perYear }: Price) => amount * (perYear ?? 1);

function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
