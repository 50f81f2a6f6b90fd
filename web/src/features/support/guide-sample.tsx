import { use } from 'react';
import { useTranslation } from 'react-i18next';
import type { CodeLanguage } from '../../ui/code-language.ts';
import { CodeSample } from '../../ui/code-sample.tsx';

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
export function GuideSample({ name, title }: { name: string; title: string }) {
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
