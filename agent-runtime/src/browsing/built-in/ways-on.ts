import { fold } from '../../built-in/terms.ts';
import { isSameSite, pageKey, siteOf, target } from './addresses.ts';
import type { Goal } from './goal.ts';
import { likeness } from './likeness.ts';
import { around, isChrome, nodesIn, type OutlineNode, textIn } from './outline.ts';
import type { Trail } from './trail.ts';

/** A link that leads to a page which was not seen yet, and how well its name fits. */
export type WayOn = { ref: string; name: string; url: string; sum: number; share: number };

type Place = { url: string; root: OutlineNode };

const likenessMin = 0.5;
const pathWeight = 0.7;
/** A name that says other things too fits less. */
const precisionWeight = 0.3;
const chromeFactor = 0.95;
const nameLengthMax = 200;
const NO_PAGE = /\.(?:zip|exe|dmg|mp[34]|mov|avi|tar|gz|iso|png|jpe?g|gif|svg)(?:$|\?)/i;
const ACTING =
  /\b(?:log ?out|sign ?out|abmelden|deconnexion|unsubscribe|delete|remove|add to (?:cart|basket)|buy now|checkout|print|share)\b/;

/** The links of a page that fit the goal, the best first. */
export function waysOn(goal: Goal, trail: Trail, { url, root }: Place): WayOn[] {
  const here = pageKey(url);
  const clicked = trail.clicked.get(here);
  const ways = new Map<string, WayOn & { score: number }>();
  for (const node of nodesIn(root)) {
    const leads = node.role === 'link' && node.ref && node.url ? target(node.url, url) : null;
    if (!leads || !node.ref || NO_PAGE.test(leads)) continue;
    const key = pageKey(leads);
    const name = textIn(node).slice(0, nameLengthMax);
    if (key === here || trail.visited.has(key) || trail.opened.has(leads)) continue;
    if (clicked?.has(name) || clicked?.has(node.ref) || ACTING.test(fold(name))) continue;
    if (!isSameSite(leads, url) && !goal.sites.has(siteOf(leads))) continue;
    const weighed = weigh(goal, name, leads, isChrome(node));
    const known = ways.get(key);
    if (weighed.sum >= likenessMin && (!known || known.score < weighed.score)) {
      ways.set(key, { ref: node.ref, name, url: leads, ...weighed });
    }
  }
  return [...ways.values()].sort((a, b) => b.score - a.score);
}

function weigh({ subjects, language }: Goal, name: string, url: string, inChrome: boolean) {
  const byName = likeness(subjects, name, language);
  const path = (URL.parse(url)?.pathname ?? '').replace(/[-_/.]+/g, ' ');
  const byPath = likeness(subjects, path, language);
  const sum = Math.max(byName.sum, pathWeight * byPath.sum);
  const share = Math.max(byName.share, pathWeight * byPath.share);
  const score = (sum + precisionWeight * byName.precision) * (inChrome ? chromeFactor : 1);
  return { sum, share, score };
}

const NEXT =
  /^(?:next(?: page)?|older(?: posts| entries)?|more results|load more|show more|weiter|nachste(?: seite)?|mehr (?:anzeigen|laden)|suivante?s?|page suivante|siguiente|successiv[oa]|volgende|[>›»→]+|(?:next|weiter|suivant) ?[>›»→]+)$/;

/** The link to the next page of a list. */
export function nextPage(trail: Trail, { url, root }: Place): OutlineNode | null {
  const here = pageKey(url);
  for (const node of nodesIn(root)) {
    if ((node.role !== 'link' && node.role !== 'button') || !node.ref) continue;
    if (node.states.includes('disabled') || !NEXT.test(fold(textIn(node)))) continue;
    const leads = node.url && target(node.url, url);
    const isSeen = leads
      ? trail.visited.has(pageKey(leads)) || pageKey(leads) === here
      : trail.clicked.get(here)?.has(textIn(node)) === true;
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

const CHEAPEST_FIRST =
  /(?:price|preis|prix|precio|prezzo|prijs).{0,12}(?:low|asc|aufst|niedrig|croiss|ascen|cresc|oplop)|(?:low|cheap|gunst|niedrig|moins cher|mas barat).{0,14}(?:price|preis|prix|first|zuerst)|cheapest/;
const DEAREST_FIRST =
  /(?:price|preis|prix|precio|prezzo).{0,12}(?:high|desc|abst|hoch|decroiss|descen|decresc)|(?:high|expens|teuer|plus cher).{0,14}(?:price|preis|prix|first|zuerst)/;

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
