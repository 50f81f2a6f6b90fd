import { ChevronRight, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconInput } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { matchingAnswers, type Section, usePageWords } from './page-words.ts';
import { Blocks } from './prose.tsx';
import { PublicTitle } from './public-title.tsx';

/** Questions and answers, found by any words of theirs. */
export function HelpPage() {
  const { t } = useTranslation('support');
  const { title, description, sections } = usePageWords('help');
  const [words, setWords] = useState('');
  const found = matchingAnswers(sections, words);
  return (
    <>
      <PublicTitle title={title} description={description}>
        <search className="mt-8 block max-w-[560px]">
          <IconInput
            icon={Search}
            type="search"
            aria-label={t('help.search')}
            placeholder={t('help.search')}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </search>
        <p role="status" className="mt-2 text-sm text-muted">
          {t('help.found', { count: found.length })}
        </p>
      </PublicTitle>
      <div className="mx-auto flex max-w-[1200px] flex-col gap-3 px-6 py-8">
        {found.map((section) => (
          <Answer key={section.id} section={section} isOpen={found.length === 1} />
        ))}
        <p className="mt-6">
          {t('help.notFound')}{' '}
          <Link to="/contact?category=general" className="text-accent underline underline-offset-4">
            {t('help.ask')}
          </Link>
        </p>
      </div>
    </>
  );
}

function Answer({ section, isOpen }: { section: Section; isOpen: boolean }) {
  const isNamed = window.location.hash === `#${section.id}`;
  return (
    <details
      id={section.id}
      open={isOpen || isNamed}
      className="group max-w-[76ch] rounded-lg border border-line bg-surface"
    >
      <summary className="flex cursor-pointer list-none items-start gap-2 rounded-lg px-4 py-3 font-semibold [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="mt-1 size-4 shrink-0 text-muted transition-transform duration-150 ease-out group-open:rotate-90"
        />
        <h2>{section.title}</h2>
      </summary>
      <div className="px-4 pb-4">
        <Blocks blocks={section.blocks} title={section.title} />
      </div>
    </details>
  );
}
