import { fold } from '../../built-in/terms.ts';
import { isSameSite, pageKey, siteOf, target } from './addresses.ts';
import type { Goal } from './goal.ts';
import { likeness } from './likeness.ts';
import { around, isChrome, labelOf, nodesIn, type OutlineNode, textIn } from './outline.ts';
import type { Trail } from './trail.ts';

/** A link that leads to a page which was not seen yet, and how well its name fits. */
export type WayOn = {
  ref: string;
  name: string;
  url: string;
  /** How many of the goal's subjects it meets, and which share of them. */
  sum: number;
  share: number;
  /** It says nothing else. */
  isPlain: boolean;
};

type Place = { url: string; root: OutlineNode };

const likenessMin = 0.5;
const pathWeight = 0.7;
/** A name that says other things too fits less. */
const precisionWeight = 0.3;
const chromeFactor = 0.95;
const NO_PAGE = /\.(?:zip|exe|dmg|mp[34]|mov|avi|tar|gz|iso|png|jpe?g|gif|svg)(?:$|\?)/i;
const ACTING =
  /\b(?:log ?out|sign ?out|abmelden|deconnexion|unsubscribe|delete|remove|add to (?:cart|basket)|buy now|checkout|print|share)\b/;

/** The links of a page that lead to pages which were not seen, the best first. */
function allWaysOn(goal: Goal, trail: Trail, { url, root }: Place): (WayOn & { score: number })[] {
  const here = pageKey(url);
  const clicked = trail.clicked.get(here);
  const ways = new Map<string, WayOn & { score: number }>();
  for (const node of nodesIn(root)) {
    const leads = node.role === 'link' && node.ref && node.url ? target(node.url, url) : null;
    if (!leads || !node.ref || NO_PAGE.test(leads)) continue;
    const key = pageKey(leads);
    const name = labelOf(node);
    if (key === here || trail.visited.has(key) || trail.opened.has(leads)) continue;
    if (clicked?.has(name) || ACTING.test(fold(name)) || PAGER.test(name)) continue;
    if (!isSameSite(leads, url) && !goal.sites.has(siteOf(leads))) continue;
    const weighed = weigh(goal, { name, leads, here: url, inChrome: isChrome(node) });
    const known = ways.get(key);
    if (!known || known.score < weighed.score) {
      ways.set(key, { ref: node.ref, name, url: leads, ...weighed });
    }
  }
  return [...ways.values()].sort((a, b) => b.score - a.score);
}

/** The links that fit the goal, the best first. */
export const waysOn = (goal: Goal, trail: Trail, place: Place): WayOn[] =>
  allWaysOn(goal, trail, place).filter(({ sum }) => sum >= likenessMin);

/** Any link further into the site, in the order of the page; for goals that no name fits. */
export const furtherWays = (goal: Goal, trail: Trail, place: Place): WayOn[] =>
  allWaysOn(goal, trail, place).filter(
    ({ url, name }) => isSameSite(url, place.url) && !BESIDE.test(fold(name)),
  );

const BESIDE =
  /\b(?:log ?in|sign ?(?:in|up)|register|account|konto|anmelden|compte|cart|basket|warenkorb|panier|privacy|datenschutz|confidentialite|terms|agb|cgv|cookies?|deutsch|english|francais|espanol|italiano|home|startseite|accueil)\b/;

type Link = { name: string; leads: string; here: string; inChrome: boolean };

function weigh({ subjects, language }: Goal, { name, leads, here, inChrome }: Link) {
  const byName = likeness(subjects, name, language);
  // Where one is already says nothing of where a link leads.
  const known = new Set(wordsOfPath(here));
  const path = wordsOfPath(leads).filter((word) => !known.has(word));
  const byPath = likeness(subjects, path.join(' '), language);
  const sum = Math.max(byName.sum, pathWeight * byPath.sum);
  const share = Math.max(byName.share, pathWeight * byPath.share);
  const score = (sum + precisionWeight * byName.precision) * (inChrome ? chromeFactor : 1);
  return { sum, share, score, isPlain: byName.precision === 1 };
}

const wordsOfPath = (url: string): string[] =>
  (URL.parse(url)?.pathname ?? '').split(/[-_/.]+/).filter(Boolean);

const PAGER =
  /^(?:\d+|previous|prev|next|older|newer|zuruck|weiter|precedente?|suivante?|[<>«»‹›←→]+)$/i;
const NEXT =
  /^(?:next(?: page)?|older(?: posts| entries)?|more results|load more|show more|weiter|nachste(?: seite)?|mehr (?:anzeigen|laden)|suivante?s?|page suivante|siguiente|successiv[oa]|volgende|[>›»→]+|(?:next|weiter|suivant) ?[>›»→]+)$/;

/** The link to the next page of a list. */
export function nextPage(trail: Trail, { url, root }: Place): OutlineNode | null {
  const here = pageKey(url);
  for (const node of nodesIn(root)) {
    if ((node.role !== 'link' && node.role !== 'button') || !node.ref) continue;
    if (node.states.includes('disabled') || !NEXT.test(fold(labelOf(node)))) continue;
    const leads = node.url && target(node.url, url);
    const isSeen = leads
      ? trail.visited.has(pageKey(leads)) || pageKey(leads) === here
      : trail.clicked.get(here)?.has(labelOf(node)) === true;
    if (!isSeen && (!leads || isSameSite(leads, url))) return node;
  }
  return null;
}

const SEARCH =
  /\b(?:search|suche|suchen|rechercher?|recherche|buscar|busqueda|cerca|zoek\w*|pesquisar|find)\b|поиск|検索|搜索/;
const SEARCH_PLACE = new Set(['search']);

/** The field in which a site is searched. */
export function searchBox({ root }: Place): OutlineNode | null {
  for (const node of nodesIn(root)) {
    if (!node.ref || node.states.includes('disabled')) continue;
    if (node.role === 'searchbox') return node;
    const label = fold(`${node.name} ${node.placeholder ?? ''}`);
    const isField = node.role === 'textbox' || node.role === 'combobox';
    const isTyped = isField && !node.children.some(({ role }) => role === 'option');
    if (isTyped && (SEARCH.test(label) || around(node, SEARCH_PLACE))) return node;
  }
  return null;
}

const PRICE_WORD = '(?:price|preis|prix|precio|prezzo|prijs)s?\\W{0,4}(?:from |by |par ordre )?';
const CHEAPEST_FIRST = new RegExp(
  `${PRICE_WORD}(?:low|asc|aufst|niedrig|croiss|cresc|oplop|menor)|^(?:cheapest|lowest|gunstigste|niedrigster|moins cher)`,
);
const DEAREST_FIRST = new RegExp(
  `${PRICE_WORD}(?:high|desc|abst|hoch|decroiss|decresc|aflop|mayor)|^(?:most expensive|highest|teuerste|hochster|plus cher)`,
);

/** An option that brings what the goal asks for to the front. */
export function fittingOption(goal: Goal, { root }: Place): { ref: string; option: string } | null {
  const pattern = goal.ranking?.order === 'dearest' ? DEAREST_FIRST : CHEAPEST_FIRST;
  for (const node of nodesIn(root)) {
    if ((node.role !== 'combobox' && node.role !== 'listbox') || !node.ref) continue;
    const option = node.children.find((one) => pattern.test(fold(textIn(one))));
    if (option && !option.states.includes('selected')) {
      return { ref: node.ref, option: textIn(option) };
    }
  }
  return null;
}
