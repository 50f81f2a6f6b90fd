import { isChrome, nodesIn, type OutlineNode, textIn } from './outline.ts';
import { priceIn } from './priced.ts';

/** One of a list of things: an article, a card, a row. */
export type Entry = { name: string; detail: string };

const CONTAINERS = new Set(['article', 'listitem', 'row']);
const NAMES = new Set(['heading', 'link', 'rowheader']);
const entriesMax = 40;
const detailLengthMax = 60;
const date =
  /\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}\.? \p{L}{3,10}\.? \d{4}\b|\b\p{L}{3,10}\.? \d{1,2},? \d{4}\b/u;

/** The things that a page lists, in its order, each with its date or price where it has one. */
export function entriesIn(main: OutlineNode): Entry[] {
  const entries: Entry[] = [];
  for (const node of nodesIn(main)) {
    if (!CONTAINERS.has(node.role) || isChrome(node)) continue;
    const inside = [...nodesIn(node)].slice(1);
    if (inside.some(({ role }) => CONTAINERS.has(role))) continue;
    const name = inside.find(({ role }) => NAMES.has(role));
    if (!name) continue;
    const detail = inside
      .filter((one) => one !== name && one.children.length === 0)
      .map(textIn)
      .find((text) => text.length <= detailLengthMax && (date.test(text) || priceIn(text)));
    entries.push({ name: textIn(name), detail: detail ?? '' });
  }
  return entries.filter((entry) => entry.name !== '').slice(0, entriesMax);
}
