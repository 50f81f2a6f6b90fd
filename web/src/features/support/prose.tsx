import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateFormat } from '../../ui/formats.ts';
import type { Block, PageWords, Section } from './page-words.ts';
import { ProductPicture } from './product-picture.tsx';
import { RichText } from './rich-text.tsx';

/** The sections of a page of text, with a list of them beside it where the window is wide. */
export function Prose({ sections }: Pick<PageWords, 'sections'>) {
  return (
    <div className="mx-auto grid max-w-[1200px] gap-x-12 gap-y-10 px-6 py-12 md:grid-cols-[14rem_minmax(0,1fr)]">
      <Contents sections={sections} />
      <div className="flex min-w-0 flex-col gap-12">
        {sections.map((section) => (
          <ProseSection key={section.id} section={section} />
        ))}
      </div>
    </div>
  );
}

/** What there is on the page, and where the reader is in it. */
function Contents({ sections }: Pick<PageWords, 'sections'>) {
  const { t } = useTranslation('support');
  const current = useSectionInView(sections.map(({ id }) => id));
  return (
    <nav
      aria-label={t('pages.contents')}
      className="text-sm md:sticky md:top-20 md:max-h-[calc(100dvh-6rem)] md:self-start md:overflow-y-auto"
    >
      <h2 className="font-semibold">{t('pages.contents')}</h2>
      <ul className="mt-2 gap-x-6 max-md:columns-2 md:border-l md:border-line">
        {sections.map(({ id, title }) => (
          <li key={id} className="break-inside-avoid">
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className="inline-block rounded-sm py-1 text-muted hover:text-text md:-ml-px md:border-l-2 md:border-transparent md:pl-3 md:aria-[current]:border-accent md:aria-[current]:text-text"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ProseSection({ section }: { section: Section }) {
  const { i18n } = useTranslation();
  const { id, title, date, blocks } = section;
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="max-w-[68ch]">
      <h2 id={`${id}-title`} className="text-lg font-semibold">
        {title}
      </h2>
      {date && (
        <time dateTime={date} className="text-sm text-muted">
          {dateFormat(i18n.language, {
            dateStyle: 'long',
            timeZone: 'UTC',
          }).format(new Date(`${date}T00:00:00Z`))}
        </time>
      )}
      <Blocks blocks={blocks} />
    </section>
  );
}

/** Blocks have no ids of their own and never move: their place is their key. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className="mt-3 flex flex-col gap-3">
      {blocks.map((block) => (
        <BlockView key={JSON.stringify(block)} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  if (typeof block === 'string') {
    return (
      <p>
        <RichText text={block} />
      </p>
    );
  }
  if ('code' in block) {
    return (
      <pre className="rounded-md bg-sunken p-3 font-mono text-sm break-words whitespace-pre-wrap">
        {block.code}
      </pre>
    );
  }
  if ('image' in block) {
    return (
      <div className="mx-auto w-full max-sm:max-w-[300px]">
        <ProductPicture {...block} />
      </div>
    );
  }
  const List = 'steps' in block ? 'ol' : 'ul';
  const items = 'steps' in block ? block.steps : block.list;
  return (
    <List className={`flex flex-col gap-2 pl-6 ${'steps' in block ? 'list-decimal' : 'list-disc'}`}>
      {items.map((item) => (
        <li key={item}>
          <RichText text={item} />
        </li>
      ))}
    </List>
  );
}

/** A section counts as read from where the header ends to the middle of the window. */
const MARGIN = '-80px 0px -50% 0px';

/** The id of the first of these sections that is being read; it stays until there is another. */
function useSectionInView(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState(ids[0]);
  // A new array each time would restart with each render.
  const joined = ids.join(' ');
  useEffect(() => {
    const sections = joined.split(' ');
    const seen = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) seen.add(target.id);
          else seen.delete(target.id);
        }
        const first = sections.find((id) => seen.has(id));
        setCurrent((before) => first ?? (isAhead(sections[0]) ? sections[0] : before));
      },
      { rootMargin: MARGIN },
    );
    for (const id of sections) {
      const element = document.getElementById(id);
      if (element) observer.observe(element);
    }
    return () => observer.disconnect();
  }, [joined]);
  return current;
}

/** The reader is still above it. */
const isAhead = (id = '') => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) > 0;
