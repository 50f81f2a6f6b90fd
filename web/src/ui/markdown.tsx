import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { withoutBrokenLines } from './broken-lines.ts';
import { cx } from './cx.ts';

type Heading = 'h2' | 'h3';

export type MarkdownProps = {
  text: string;
  /** The level of all headings of the text, in the order of the page's headings. */
  heading?: Heading;
  className?: string;
};

/** What adds citations: a change of the text's tree, and the element that it puts there. */
type Citing = {
  citing?: {
    plugin: () => (root: MarkdownNode) => void;
    cite: NonNullable<Components['cite']>;
  };
};

/**
 * A text that a model or a person wrote, as it is meant to look. It becomes elements, never HTML:
 * tags are text, links lead to the web or a mailbox only, pictures are links and are not loaded.
 * Once it is read it is not read again while it stays the same.
 */
export const Markdown = memo(function Markdown({
  text,
  heading = 'h3',
  className,
  citing,
}: MarkdownProps & Citing) {
  const isPlain = isTangled(text);
  const components = heading === 'h2' ? componentsOfPage : componentsOfPart;
  return (
    <div className={cx('flex flex-col gap-3 [overflow-wrap:anywhere]', className)}>
      {isPlain ? (
        <p className="whitespace-pre-wrap">{text}</p>
      ) : (
        <ReactMarkdown
          remarkPlugins={citing ? [...plugins, citing.plugin] : plugins}
          urlTransform={safeAddress}
          components={citing ? { ...components, cite: citing.cite } : components}
        >
          {text}
        </ReactMarkdown>
      )}
    </div>
  );
});

const calmed = () => (root: MarkdownNode, file: { toString: () => string }) =>
  calmTree(root, String(file));
const plugins = [remarkGfm, calmed];

/** Only what opens a page or a letter; from scripts and addresses of this page nothing is left. */
const safeAddress = (address: string) =>
  /^(https?:\/\/|mailto:)/i.test(address) ? address : undefined;

type Part = { children?: ReactNode };

const shared: Components = {
  p: ({ children }) => <p className="whitespace-pre-line">{children}</p>,
  strong: ({ children }) => <strong className="font-semibold">{children}</strong>,
  em: ({ children }) => <em>{children}</em>,
  hr: () => <hr className="border-line" />,
  blockquote: ({ children }) => (
    <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3">{children}</blockquote>
  ),
  pre: ({ children }) => (
    <pre className="rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap [&>code]:p-0">
      {children}
    </pre>
  ),
  code: ({ children }) => (
    <code className="rounded-sm bg-sunken px-1 font-mono text-xs">{children}</code>
  ),
  a: ({ href, children }) =>
    href ? (
      <a
        href={href}
        title={href}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent underline underline-offset-4"
      >
        {children}
      </a>
    ) : (
      children
    ),
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  ol: ({ start, children }) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-5">
      {children}
    </ol>
  ),
  li: ({ children }) => <li className="whitespace-pre-line [&>*+*]:mt-2">{children}</li>,
  // To do, and done: not a control, because it cannot be changed here.
  input: ({ checked }) => (checked ? '\u2611' : '\u2610'),
  section: ({ children }) => (
    <section className="flex flex-col gap-2 border-t border-line pt-3">{children}</section>
  ),
  sup: ({ children }) => <sup>{children}</sup>,
  table: ({ children }) => <table className="w-full text-sm">{children}</table>,
  thead: ({ children }) => <thead className="text-xs text-muted">{children}</thead>,
  tr: ({ children }) => <tr className="border-b border-line last:border-0">{children}</tr>,
  th: ({ style, children }) => (
    <th scope="col" className={cellClass(style?.textAlign)}>
      {children}
    </th>
  ),
  td: ({ style, children }) => <td className={cellClass(style?.textAlign)}>{children}</td>,
  // The tree has none of it; were there any, nothing would be loaded.
  img: ({ alt }) => alt,
};

const cellClass = (align: string | undefined) =>
  cx(
    'py-1.5 pr-4 align-top last:pr-0',
    align === 'right' ? 'text-right' : align === 'center' ? 'text-center' : 'text-left',
  );

function withHeading(Heading: Heading): Components {
  const Title = ({ children }: Part) => <Heading className="font-semibold">{children}</Heading>;
  return { ...shared, h1: Title, h2: Title, h3: Title, h4: Title, h5: Title, h6: Title };
}

const componentsOfPage = withHeading('h2');
const componentsOfPart = withHeading('h3');

/** What is used here of a node of a Markdown text's tree. */
export type MarkdownNode = {
  type: string;
  value?: string;
  alt?: string | null;
  children?: MarkdownNode[];
  position?: { start: { line: number } };
  /** The element that a node of another type than Markdown's becomes. */
  data?: { hName: string; hProperties: Readonly<Record<string, string>> };
};

/** A line as long as this was broken because it was full, not because it was to end there. */
const FULL_LINE_LENGTH = 60;

/**
 * Makes pictures links, so that nothing is loaded from elsewhere, and lets words go on where a
 * line was full. Other lines end where they ended in the text.
 */
function calmTree(root: MarkdownNode, source: string): void {
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
  const joined = parts.map((part, at) => {
    if (at === parts.length - 1) return part;
    const isFull = (lines[first - 1 + at] ?? '').length >= FULL_LINE_LENGTH;
    return part + (isFull ? ' ' : '\n');
  });
  // A quoted sentence may begin in the middle of a line, which is then short although it was full.
  node.value = withoutBrokenLines(joined.join(''));
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
function isTangled(text: string): boolean {
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
