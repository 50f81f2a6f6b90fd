import { useId, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { type CodeLanguage, codeLanguageNames, codeLanguages } from './code-language.ts';
import { CopyButton } from './icon-button.tsx';
import { remember, remembered } from './remembered.ts';
import { scrollable } from './scrollable.ts';

/** The same program in several languages. The reader's choice of one applies to all samples. */
export function CodeSample({
  title,
  codeIn,
}: {
  /** Names the sample for screen readers. */
  title: string;
  /** Undefined where there is no such sample. */
  codeIn: (language: CodeLanguage) => string | undefined;
}) {
  const { t } = useTranslation('common');
  const name = useId();
  const chosen = useCodeLanguage();
  const offered = codeLanguages.filter((language) => codeIn(language) !== undefined);
  const shown = offered.includes(chosen) ? chosen : offered[0];
  if (!shown) return null;
  const code = codeIn(shown) ?? '';
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3">
        <fieldset className="flex min-w-0 flex-wrap gap-x-4">
          <legend className="sr-only">{t('code.language', { title })}</legend>
          {offered.map((language) => (
            <label
              key={language}
              className="relative cursor-pointer rounded-sm border-b-2 border-transparent py-1 text-xs font-medium text-muted hover:text-text has-checked:border-accent has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name={name}
                checked={language === shown}
                onChange={() => chooseCodeLanguage(language)}
                className="sr-only"
              />
              {codeLanguageNames[language]}
            </label>
          ))}
        </fieldset>
        <CopyButton text={code} label={t('code.copy', { title })} />
      </div>
      <Code text={code} />
    </div>
  );
}

/** Text that a program answered, or a program without a choice of languages. */
export function PlainCode({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation('common');
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3">
        <span className="text-xs font-medium text-muted">{title}</span>
        <CopyButton text={text} label={t('code.copy', { title })} />
      </div>
      <Code text={text} />
    </div>
  );
}

function Code({ text }: { text: string }) {
  return (
    <pre
      {...scrollable}
      className="max-h-[28rem] overflow-auto p-3 font-mono text-xs focus-visible:-outline-offset-2"
    >
      {text}
    </pre>
  );
}

const listeners = new Set<() => void>();
let chosen: CodeLanguage | undefined;

const isLanguage = (value: unknown): value is CodeLanguage =>
  codeLanguages.some((language) => language === value);

function chosenLanguage(): CodeLanguage {
  chosen ??= storedLanguage() ?? codeLanguages[0];
  return chosen;
}

function storedLanguage(): CodeLanguage | undefined {
  const stored = remembered('codeLanguage');
  return isLanguage(stored) ? stored : undefined;
}

/** All samples show the language that the reader chose last, also on later visits. */
function chooseCodeLanguage(language: CodeLanguage) {
  chosen = language;
  for (const listener of listeners) listener();
  remember('codeLanguage', language);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const useCodeLanguage = () => useSyncExternalStore(subscribe, chosenLanguage);
