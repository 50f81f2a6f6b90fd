import { type OutlineNode, textIn } from './outline.ts';

const NAMING = new Set(['heading', 'link', 'rowheader', 'strong', 'term', 'cell', 'caption']);
const nameLengthMax = 120;

/**
 * What an element belongs to: of the closest things around it that have a name, the last heading
 * before it, else the first name in them. Empty where nothing is named.
 */
export function headingNear(node: OutlineNode): string {
  for (let child = node, at = node.parent; at; child = at, at = at.parent) {
    const before = at.children.slice(0, at.children.indexOf(child)).flatMap(namesIn);
    const after = at.children.slice(at.children.indexOf(child) + 1).flatMap(namesIn);
    const heading = before.findLast(({ role }) => role === 'heading') ?? null;
    const found = heading ?? before[0] ?? (BOUNDED.has(at.role) ? after[0] : undefined);
    const name = found ? textIn(found).slice(0, nameLengthMax) : at.name;
    if (name !== '' && at.role !== 'document') return name;
  }
  return '';
}

/** Within these a name may also stand after what it names. */
const BOUNDED = new Set(['article', 'listitem', 'row', 'group', 'region', 'link']);

function namesIn(node: OutlineNode): OutlineNode[] {
  const isName = NAMING.has(node.role) && /\p{L}/u.test(textIn(node));
  return isName ? [node] : node.children.flatMap(namesIn);
}
