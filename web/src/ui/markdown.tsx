import { createElement, Fragment, type ReactNode } from 'react';
import { cx } from './cx.ts';
import { type Block, blocksOf } from './markdown-blocks.ts';
import type { Inline } from './markdown-inlines.ts';

type Heading = 'h2' | 'h3';

export type MarkdownProps = {
  text: string;
  /** All headings of the text, by where it stands in the order of the page's. */
  heading?: Heading;
  className?: string;
};

/**
 * A text that a model or a person wrote, as it is meant to look. It becomes elements, never HTML:
 * tags are text, links lead to the web or a mailbox only, pictures are links and are not loaded.
 */
export function Markdown({ text, heading = 'h3', className }: MarkdownProps) {
  const blocks = blocksOf(text);
  return (
    <div className={cx('flex flex-col gap-3 [overflow-wrap:anywhere]', className)}>
      {inOrder(blocks.map((block) => renderBlock(block, heading)))}
    </div>
  );
}

/** Parts of a text have no names; their place is all that tells them apart. */
const inOrder = (parts: readonly ReactNode[]) => createElement(Fragment, null, ...parts);

function renderBlock(block: Block, Heading: Heading): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p className="whitespace-pre-line">{renderInlines(block.inlines)}</p>;
    case 'heading':
      return <Heading className="font-semibold">{renderInlines(block.inlines)}</Heading>;
    case 'code':
      return (
        <pre className="rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap">
          <code>{block.text}</code>
        </pre>
      );
    case 'rule':
      return <hr className="border-line" />;
    case 'quote':
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3">
          {inOrder(block.blocks.map((inner) => renderBlock(inner, Heading)))}
        </blockquote>
      );
    case 'list':
      return <List list={block} heading={Heading} />;
    case 'table':
      return <TextTable table={block} />;
  }
}

function List({ list, heading }: { list: Extract<Block, { kind: 'list' }>; heading: Heading }) {
  const isOrdered = list.start !== undefined;
  const className = cx('flex flex-col gap-1 pl-5', isOrdered ? 'list-decimal' : 'list-disc');
  const items = list.items.map((blocks) =>
    createElement(
      'li',
      { className: '[&>*+*]:mt-2' },
      ...blocks.map((block) => renderBlock(block, heading)),
    ),
  );
  return isOrdered
    ? createElement('ol', { className, start: list.start }, ...items)
    : createElement('ul', { className }, ...items);
}

function TextTable({ table }: { table: Extract<Block, { kind: 'table' }> }) {
  const row = (tag: 'th' | 'td', cells: readonly (readonly Inline[])[]) =>
    createElement(
      'tr',
      { className: 'border-b border-line last:border-0' },
      ...cells.map((cell) =>
        createElement(
          tag,
          {
            className: 'py-1.5 pr-4 text-left align-top last:pr-0',
            ...(tag === 'th' && { scope: 'col' }),
          },
          renderInlines(cell),
        ),
      ),
    );
  return (
    <table className="w-full text-sm">
      <thead className="text-xs text-muted">{row('th', table.head)}</thead>
      {createElement('tbody', null, ...table.rows.map((cells) => row('td', cells)))}
    </table>
  );
}

const renderInlines = (inlines: readonly Inline[]) => inOrder(inlines.map(renderPiece));

function renderPiece(piece: Inline): ReactNode {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return <code className="rounded-sm bg-sunken px-1 font-mono text-xs">{piece.text}</code>;
    case 'strong':
      return <strong className="font-semibold">{renderInlines(piece.inlines)}</strong>;
    case 'emphasis':
      return <em>{renderInlines(piece.inlines)}</em>;
    case 'link':
      return (
        <a
          href={piece.href}
          title={piece.href}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline underline-offset-4"
        >
          {renderInlines(piece.inlines)}
        </a>
      );
  }
}
