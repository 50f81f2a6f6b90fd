import * as Popover from '@radix-ui/react-popover';
import { createContext, useContext, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withoutBrokenLines } from './broken-lines.ts';
import { citeTree, type Source } from './citations.ts';
import { Link } from './link.tsx';
import { Markdown, type MarkdownNode, type MarkdownProps } from './markdown.tsx';

const Sources = createContext<readonly Source[]>([]);

/**
 * An answer in Markdown with numbers after the sentences that its sources support; each opens its
 * passage.
 */
export function CitedText({ sources, ...rest }: MarkdownProps & { sources: readonly Source[] }) {
  const citing = useMemo(
    () => ({ plugin: () => (root: MarkdownNode) => citeTree(root, sources), cite: CitationMarks }),
    [sources],
  );
  return (
    <Sources value={sources}>
      <Markdown {...rest} citing={citing} />
    </Sources>
  );
}

/** The numbers of a sentence's sources. */
function CitationMarks({ title: numbers = '' }: { title?: string }) {
  const sources = useContext(Sources);
  return numbers.split(' ').map((number) => {
    const source = sources[Number(number) - 1];
    return source && <CitationMark key={number} number={Number(number)} source={source} />;
  });
}

function CitationMark({ number, source }: { number: number; source: Source }) {
  const { t } = useTranslation('common');
  const trigger = useRef<HTMLButtonElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <Popover.Root
      onOpenChange={() =>
        // What surrounds an open dialog is hidden from screen readers.
        setContainer(trigger.current?.closest<HTMLElement>('[role="dialog"], main') ?? null)
      }
    >
      <Popover.Trigger
        ref={trigger}
        aria-label={t('citation.label', { number, title: source.articleTitle })}
        className="mx-0.5 inline-flex h-5 min-w-5 items-center justify-center rounded-sm bg-sunken px-1 align-[2px] font-sans text-xs font-medium text-accent tabular hover:bg-line data-[state=open]:bg-line"
      >
        {number}
      </Popover.Trigger>
      <Popover.Portal container={container}>
        <Popover.Content
          aria-label={t('citation.label', { number, title: source.articleTitle })}
          side="top"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 flex max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-16px)] animate-pop flex-col gap-2 overflow-y-auto rounded-md border border-line bg-raised p-4 text-sm shadow-float outline-none"
        >
          <p className="font-medium break-words">{source.articleTitle}</p>
          <Passage quote={source.quote} />
          <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-xs text-muted">
            {source.isAttachment ? (
              t('citation.attached')
            ) : (
              <>
                <span className="tabular">
                  {t('citation.place', {
                    passage: source.ordinal + 1,
                    version: source.articleVersion,
                  })}
                </span>
                <Link
                  to={`/knowledge?article=${source.articleId}`}
                  className="rounded-sm text-accent underline-offset-4 hover:underline"
                >
                  {t('citation.open')}
                </Link>
              </>
            )}
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Passage({ quote }: { quote: string }) {
  return (
    <blockquote className="border-l-2 border-line pl-3 break-words whitespace-pre-line text-muted">
      {withoutBrokenLines(quote)}
    </blockquote>
  );
}

/** All passages, numbered as in the text, each with its article. */
export function SourceList({
  title,
  level: Heading = 'h3',
  sources,
}: {
  title: string;
  /** The level in the order of the page's headings. */
  level?: 'h2' | 'h3';
  sources: readonly Source[];
}) {
  if (sources.length === 0) return null;
  return (
    <div className="text-sm">
      <Heading className="font-medium">{title}</Heading>
      <ol className="mt-2 flex flex-col gap-3">
        {sources.map((source, index) => (
          <li
            key={`${source.articleId}.${source.articleVersion}.${source.ordinal}.${source.quote}`}
            className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2"
          >
            <span className="tabular text-xs leading-5 font-medium text-muted">{index + 1}</span>
            <div className="flex flex-col gap-1">
              {source.isAttachment ? (
                <span className="text-xs leading-5 font-medium break-words">
                  {source.articleTitle}
                </span>
              ) : (
                <Link
                  to={`/knowledge?article=${source.articleId}`}
                  className="self-start rounded-sm text-xs leading-5 font-medium break-words text-accent underline-offset-4 hover:underline"
                >
                  {source.articleTitle}
                </Link>
              )}
              <Passage quote={source.quote} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
