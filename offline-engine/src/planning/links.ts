import { fold } from '../words/terms.ts';
import { isSameSite, pageKey, siteOf, target } from './addresses.ts';
import type { Goal } from './goal.ts';
import { likeness } from './likeness.ts';
import { labelOf, nodesIn, type OutlineNode, type Page } from './outline.ts';
import type { Trail } from './trail.ts';

/** A link to a page that was not visited yet, and how well its words fit the goal. */
export type Link = {
  ref: string;
  name: string;
  /** Which share of the goal's subjects it meets: 0 to 1. */
  share: number;
};

const LIKENESS_MIN = 0.5;
const NO_PAGE = /\.(?:zip|exe|dmg|mp[34]|mov|avi|tar|gz|iso|png|jpe?g|gif|svg)(?:$|\?)/i;
const ACTING =
  /\b(?:log ?out|sign ?out|abmelden|deconnexion|unsubscribe|delete|remove|add to (?:cart|basket)|buy now|checkout|print|share)\b/;
const PAGER =
  /^(?:\d+|previous|prev|next|older|newer|zuruck|weiter|precedente?|suivante?|[<>«»‹›←→]+)$/i;
const NEXT =
  /^(?:next(?: page)?|older(?: posts| entries)?|more results|load more|show more|weiter|nachste(?: seite)?|mehr (?:anzeigen|laden)|suivante?s?|page suivante|siguiente|successiv[oa]|volgende|[>›»→]+|(?:next|weiter|suivant) ?[>›»→]+)$/;

/** The links that fit the goal, the best first. They stay on the sites that the goal names. */
export function linksToFollow(goal: Goal, trail: Trail, { url, root }: Page): Link[] {
  const here = pageKey(url);
  const clicked = trail.clicked.get(here);
  const links = new Map<string, Link>();
  for (const node of nodesIn(root)) {
    const leads = node.role === 'link' && node.ref && node.url ? target(node.url, url) : null;
    if (!leads || !node.ref || NO_PAGE.test(leads)) continue;
    const key = pageKey(leads);
    const name = labelOf(node);
    if (key === here || trail.visited.has(key) || trail.opened.has(leads)) continue;
    if (clicked?.has(name) || ACTING.test(fold(name)) || PAGER.test(name)) continue;
    if (!isSameSite(leads, url) && !goal.sites.has(siteOf(leads))) continue;
    const { sum, share } = likeness(goal.subjects, name, goal.language);
    const known = links.get(key);
    if (sum >= LIKENESS_MIN && (!known || known.share < share)) {
      links.set(key, { ref: node.ref, name, share });
    }
  }
  return [...links.values()].sort((a, b) => b.share - a.share);
}

/** The link or button to the next page of a list, unless it was followed already. */
export function nextPage(trail: Trail, { url, root }: Page): OutlineNode | null {
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
