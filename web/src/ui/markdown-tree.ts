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

const LENGTH_MAX = 200_000;
const LINES_MAX = 10_000;
const MARKS_MAX = 10_000;
const MARKS_MAX_OF_BLOCK = 3_000;
const CELLS_MAX = 20_000;
const DEPTH_MAX = 12;

/** Marks of quotes and lists that open within one another at the beginning of a line. */
const OPENINGS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
const OPENING = />|[-*+]|\d[.)]/g;
/** Spaces that an item of a list needs as deep as that. */
const TOO_FAR = new RegExp(
  `^(?: {${4 * DEPTH_MAX}}|\t{${DEPTH_MAX}})[ \t]*(?:[-*+]|\\d{1,9}[.)])[ \t]`,
);
const MARK = /[[\]*_~<`]/g;

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/**
 * Whether a text is longer, deeper or has more marks than what people write. Understanding such a
 * text takes time that grows faster than its length.
 */
export function isTangled(text: string): boolean {
  if (text.length > LENGTH_MAX) return true;
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > LINES_MAX) return true;
  let [all, ofBlock, rows, columns] = [0, 0, 0, 0];
  for (const line of lines) {
    if (line.trim() === '') ofBlock = 0;
    const depth = countOf(OPENINGS.exec(line)?.[0] ?? '', OPENING);
    const marks = countOf(line, MARK);
    const bars = countOf(line, /\|/g);
    if (depth > DEPTH_MAX || TOO_FAR.test(line)) return true;
    all += marks + depth;
    ofBlock += marks;
    rows += Math.sign(bars);
    columns = Math.max(columns, bars);
    if (all > MARKS_MAX || ofBlock > MARKS_MAX_OF_BLOCK || rows * columns > CELLS_MAX) return true;
  }
  return false;
}
