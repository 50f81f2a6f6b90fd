import { type ReactNode, use } from 'react';
import { useTranslation } from 'react-i18next';
import type { CodeLanguage } from '../../ui/code-language.ts';
import { CodeSample } from '../../ui/code-sample.tsx';
import { dateFormat } from '../../ui/formats.ts';
import { Contents } from './contents.tsx';
import type { Block, PageWords, Section } from './page-words.ts';
import { type PictureFile, ProductPicture } from './product-picture.tsx';
import { RichText } from './rich-text.tsx';

/**
 * The sections of a page of text and `children` below the last, with a list of them beside it where the
 * window is wide.
 */
export function Prose({
  sections,
  children,
}: Pick<PageWords, 'sections'> & { children?: ReactNode }) {
  const { t } = useTranslation('support');
  return (
    <div className="mx-auto grid max-w-[1200px] gap-x-12 gap-y-10 px-6 py-12 md:grid-cols-[14rem_minmax(0,1fr)]">
      <Contents title={t('pages.contents')} sections={sections} />
      <div className="flex min-w-0 flex-col gap-12">
        {sections.map((section) => (
          <ProseSection key={section.id} section={section} />
        ))}
        {children}
      </div>
    </div>
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
      <Blocks blocks={blocks} title={title} />
    </section>
  );
}

/** Blocks have no ids of their own and never move: their place is their key. */
export function Blocks({ blocks, title }: { blocks: readonly Block[]; title: string }) {
  return (
    <div className="mt-3 flex flex-col gap-3">
      {blocks.map((block) => (
        <BlockView key={JSON.stringify(block)} block={block} title={title} />
      ))}
    </div>
  );
}

/** `title`: of the section. */
function BlockView({ block, title }: { block: Block; title: string }) {
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
  if ('sample' in block) return <GuideSample name={block.sample} title={title} />;
  if ('image' in block) {
    return (
      <div className="mx-auto w-full max-sm:max-w-[300px]">
        <ProductPicture file={pictureNamed(block.image)} alt={block.alt} />
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

/** In the programs of the guides, which `guides.int.test.ts` runs. */
const SHOWN_ADDRESS = 'https://tallyhand.example.com';
const ENDINGS: Readonly<Record<CodeLanguage, string>> = {
  curl: 'sh',
  javascript: 'js',
  python: 'py',
};

type Programs = Readonly<Record<string, string>>;
let begun: Promise<Programs> | undefined;

/** All programs, by the names of their files; they come with the first page that shows one. */
function loadPrograms(): Promise<Programs> {
  begun ??= import('./guide-programs.ts').then(({ guidePrograms }) => guidePrograms);
  // On a later visit the network may be back.
  begun.catch(() => {
    begun = undefined;
  });
  return begun;
}

/** A program of a guide in the reader's language, with this server's address. */
function GuideSample({ name, title }: { name: string; title: string }) {
  const { t } = useTranslation('support');
  const programs = use(loadPrograms());
  return (
    <CodeSample
      title={t('pages.program', { title })}
      codeIn={(language) =>
        programs[`./guides/${name}.${ENDINGS[language]}`]
          ?.trimEnd()
          .replaceAll(SHOWN_ADDRESS, window.location.origin)
      }
    />
  );
}

const files = import.meta.glob<string>('../../../../docs/images/*.webp', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The files of the pictures whose names begin like this. `npm run screenshots` takes them. */
const pictureNamed =
  (image: string): PictureFile =>
  (look) =>
    files[`../../../../docs/images/${image}-${look}.webp`];
