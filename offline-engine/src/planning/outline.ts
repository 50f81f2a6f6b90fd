/** One element of an accessible outline. */
export type OutlineNode = {
  role: string;
  name: string;
  ref: string | null;
  /** What stands in brackets beside the reference: `selected`, `level=2`. */
  states: string[];
  /** Its own text, without its children's. */
  text: string;
  /** Where a link leads, as the page wrote it. */
  url: string | null;
  placeholder: string | null;
  children: OutlineNode[];
  parent: OutlineNode | null;
};

/** A page as the rules see it. */
export type Page = {
  url: string;
  key: string;
  title: string;
  root: OutlineNode;
  main: OutlineNode;
  /** Its text, or null before it was read. */
  text: string | null;
};

const nodesMax = 20_000;
const depthMax = 200;
const line = /^( *)- (.*)$/;
const element = /^([a-z]+)(?: ("(?:[^"\\]|\\.)*"|\/[^[]*\/))?((?: \[[^\]]*\])*)(?::(?: (.*))?)?$/;

/**
 * Reads the outline that a browser gives of a page. Lines that it does not know are left out: pages
 * are of any kind, and outlines are cut.
 */
export function parseOutline(outline: string): OutlineNode {
  const root = nodeOf('document', null);
  const open: { indent: number; node: OutlineNode }[] = [{ indent: -1, node: root }];
  let count = 0;
  for (const one of outline.split('\n')) {
    const [, spaces = '', content = ''] = line.exec(one) ?? [];
    if (content === '') continue;
    count += 1;
    if (count > nodesMax) break;
    const indent = spaces.length;
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const parent = open.at(-1)?.node ?? root;
    const node = readInto(parent, unquoted(content));
    if (node && open.length < depthMax) open.push({ indent, node });
  }
  return root;
}

function readInto(parent: OutlineNode, content: string): OutlineNode | null {
  const [, property, value = ''] = /^\/([a-z]+): ?(.*)$/.exec(content) ?? [];
  if (property === 'url') parent.url = unquoted(value);
  if (property === 'placeholder') parent.placeholder = unquoted(value);
  if (property) return null;
  const [, role, name = '', brackets = '', text = ''] = element.exec(content) ?? [];
  if (!role) return null;
  const node = nodeOf(role, parent);
  node.name = unquoted(name);
  node.text = unquoted(text);
  const states = [...brackets.matchAll(/\[([^\]]*)\]/g)].map(([, state = '']) => state);
  node.ref = states.find((state) => state.startsWith('ref='))?.slice('ref='.length) ?? null;
  node.states = states.filter((state) => !state.startsWith('ref='));
  parent.children.push(node);
  return node;
}

const nodeOf = (role: string, parent: OutlineNode | null): OutlineNode => ({
  role,
  name: '',
  ref: null,
  states: [],
  text: '',
  url: null,
  placeholder: null,
  children: [],
  parent,
});

/** YAML quotes what it would else misread. */
function unquoted(value: string): string {
  const [, single, rest = ''] = /^'((?:[^']|'')*)'(:.*)?$/.exec(value) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'") + rest;
  if (!/^"(?:[^"\\]|\\.)*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

/** The element and all below it, in the order of the page. */
export function* nodesIn(node: OutlineNode): Generator<OutlineNode> {
  yield node;
  for (const child of node.children) yield* nodesIn(child);
}

/** What a person reads of it. */
export function textIn(node: OutlineNode): string {
  const words: string[] = [];
  for (const one of nodesIn(node)) {
    // The name of a field or a picture is beside the text, that of others is the text.
    const inside = one.children.length > 0 && one.children.some((child) => child.role !== 'img');
    if (one.name !== '' && !(inside && NAMED_BY_CONTENT.has(one.role))) words.push(one.name);
    if (one.text !== '' && one.text !== one.name) words.push(one.text);
  }
  return words.join(' ').replace(/\s+/g, ' ').trim();
}

const NAMED_BY_CONTENT = new Set([
  'link',
  'button',
  'heading',
  'cell',
  'row',
  'listitem',
  'option',
]);

/** What a person would call it; steps tell by this name what was clicked. */
export const labelOf = ({ name, text, role }: OutlineNode): string =>
  (name || text || role).replace(/\s+/g, ' ').trim().slice(0, LABEL_MAX);

const LABEL_MAX = 200;

/** Where a page's own content stands; the whole of it where it marks none. */
export function mainOf(root: OutlineNode): OutlineNode {
  return nodesIn(root).find(({ role }) => role === 'main') ?? root;
}

/** The names of the headings of a page. */
export function headingsOf(root: OutlineNode): string[] {
  return [...nodesIn(root)].filter(({ role }) => role === 'heading').map(textIn);
}
