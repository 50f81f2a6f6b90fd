import { fold } from '../../built-in/terms.ts';
import { headingNear } from './heading-near.ts';
import { type OutlineNode, textIn } from './outline.ts';

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
  return unique(found).slice(0, pricedMax);

  function visit(node: OutlineNode): boolean {
    // Each child is visited: `some` would stop at the first price.
    const below = node.children.map(visit);
    if (below.includes(true)) return true;
    if (SKIPPED.has(node.role)) return false;
    const text = textIn(node);
    if (text.length > priceLengthMax || !priceIn(text)) return false;
    const named = namedItself(text) ?? { name: nameOf(node), price: withPeriod(node, text) };
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

const nameOf = (price: OutlineNode): string => columnOf(price) ?? headingNear(price);

/** In a row of several prices each belongs to the heading of its column. */
function columnOf(node: OutlineNode): string | null {
  let cell = node;
  while (cell.parent && cell.parent.role !== 'row') cell = cell.parent;
  const row = cell.parent;
  if (!row) return null;
  const prices = row.children.filter((one) => priceIn(textIn(one)) !== null);
  if (prices.length < 2) return null;
  const table = row.parent?.role === 'rowgroup' ? row.parent.parent : row.parent;
  const rows = (table?.children ?? []).flatMap((one) =>
    one.role === 'rowgroup' ? one.children : [one],
  );
  const at = row.children.indexOf(cell);
  return textIn(rows[0]?.children[at] ?? row).slice(0, priceLengthMax);
}

/** "€9", and beside it "per month". */
function withPeriod(node: OutlineNode, text: string): string {
  const siblings = node.parent?.children ?? [];
  const next = siblings[siblings.indexOf(node) + 1];
  const beside = next ? textIn(next) : '';
  const isPeriod = beside.length <= 24 && PERIODS.some(([one]) => one.test(fold(beside)));
  return isPeriod && priceIn(text)?.perYear === null ? `${text} ${beside}` : text;
}

function unique(all: readonly Priced[]): Priced[] {
  return [...new Map(all.map((one) => [`${one.name}\n${one.price}`, one])).values()];
}
