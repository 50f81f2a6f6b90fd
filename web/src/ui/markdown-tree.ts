/** What is used here of a node of a Markdown text's tree. */
export type MarkdownNode = {
  type: string;
  value?: string;
  alt?: string | null;
  children?: MarkdownNode[];
  position?: { start: { line: number } };
};

/** A line as long as this was broken because it was full, not because it was to end there. */
const FULL_LINE_LENGTH = 60;

/**
 * Makes pictures links, so that nothing is loaded from elsewhere, and lets words go on where a
 * line was full. Other lines end where they ended in the text.
 */
export function calmTree(root: MarkdownNode, source: string): void {
  const lines = source.split(/\r\n|\r|\n/);
  const walk = (node: MarkdownNode, isInLink: boolean) => {
    if (node.type === 'image' || node.type === 'imageReference') becomeLink(node, isInLink);
    if (node.type === 'text') joinFullLines(node, lines);
    const isLink = node.type === 'link' || node.type === 'linkReference';
    for (const child of node.children ?? []) walk(child, isInLink || isLink);
  };
  walk(root, false);
}

/** A link within a link is no link: there only the picture's words remain. */
function becomeLink(node: MarkdownNode, isInLink: boolean): void {
  const words = { type: 'text', value: node.alt || 'image' };
  if (isInLink) Object.assign(node, words);
  else Object.assign(node, { type: node.type === 'image' ? 'link' : 'linkReference' });
  if (!isInLink) node.children = [words];
}

function joinFullLines(node: MarkdownNode, lines: readonly string[]): void {
  const first = node.position?.start.line;
  if (first === undefined || !node.value?.includes('\n')) return;
  const parts = node.value.split('\n');
  node.value = parts
    .map((part, at) => {
      if (at === parts.length - 1) return part;
      const isFull = (lines[first - 1 + at] ?? '').length >= FULL_LINE_LENGTH;
      return part + (isFull ? ' ' : '\n');
    })
    .join('');
}

const MARKS_MAX = 20_000;
const MARKS_MAX_OF_BLOCK = 4_000;
const DEPTH_MAX = 40;

/** Marks of quotes and lists that open within one another at the beginning of a line. */
const TOO_DEEP = new RegExp(`^(?:[ \\t]*(?:>|[-*+](?=[ \\t])|\\d{1,9}[.)])){${DEPTH_MAX}}`, 'm');
/** Spaces that an item of a list needs as deep as that. */
const TOO_FAR = new RegExp(`^ {${2 * DEPTH_MAX},}(?:[-*+]|\\d{1,9}[.)]) `, 'm');

/**
 * Whether a text has more marks than anybody writes, or deeper ones. Understanding such a text
 * takes time that grows faster than its length.
 */
export function isTangled(text: string): boolean {
  if (TOO_DEEP.test(text) || TOO_FAR.test(text)) return true;
  let ofBlock = 0;
  let all = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') ofBlock = 0;
    const count = line.match(/[[*_~<`&|]/g)?.length ?? 0;
    ofBlock += line.includes('|') ? 0 : count;
    all += count;
    if (ofBlock > MARKS_MAX_OF_BLOCK || all > MARKS_MAX || count > MARKS_MAX_OF_BLOCK) return true;
  }
  return false;
}
