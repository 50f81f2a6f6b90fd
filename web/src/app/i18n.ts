import { isLanguage, type Language, languageFor } from '@tallyhand/contracts/languages';
import i18next, { type FormatterModule, type ReadCallback, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { resources } from '../locales/en.ts';
import { numberFormat } from '../ui/formats.ts';
import { remember, remembered, storedAs } from '../ui/remembered.ts';

/** A file of words. */
export type Namespace = keyof typeof resources;

/** The words of the landing page. */
const landingFiles = import.meta.glob<ResourceKey>('../locales/*/{common,landing}.json', {
  import: 'default',
});

const otherFiles = async (language: string) =>
  language === 'en'
    ? (await import('./further-words.ts')).furtherFiles
    : (await import('./translated-words.ts')).translatedFiles;

async function loadFile(language: string, namespace: string): Promise<ResourceKey> {
  const file = `../locales/${language}/${namespace}.json`;
  const load = landingFiles[file] ?? (await otherFiles(language))[file];
  if (!load) throw new Error(`There are no words ${namespace} in ${language}`);
  return load();
}

/** Gives i18next one file of words, or the reason why it can't be loaded. */
function readFile(language: string, namespace: string, done: ReadCallback) {
  loadFile(language, namespace).then(
    (words) => done(null, words),
    (error: Error) => done(error, false),
  );
}

function markPage() {
  document.documentElement.lang = i18next.language;
}

let started: Promise<void> | undefined;

/** Must resolve before the first text is shown. */
export function startI18n(): Promise<void> {
  started ??= new Promise((resolve, reject) => {
    void i18next
      .use({ type: 'backend', init() {}, read: readFile } as const)
      .use(inWords)
      .use(initReactI18next)
      .on('languageChanged', markPage)
      .init(
        {
          // Starts at once, before other work of the page.
          initAsync: false,
          lng: languageFor(remembered('language'), navigator.languages),
          // Tests check that each language is complete, so there is no second one to load.
          fallbackLng: false,
          ns: ['common'],
          // All words of a page at once.
          maxParallelReads: Number.POSITIVE_INFINITY,
          defaultNS: 'common',
          // React escapes.
          interpolation: { escapeValue: false, alwaysFormat: true },
        },
        (error) => (error ? reject(error) : resolve()),
      );
    addEventListener('storage', followOtherTabs);
  });
  return started;
}

/** A choice of language applies to all tabs. */
function followOtherTabs({ key, newValue }: StorageEvent) {
  if (key !== storedAs('language') || !newValue || !isLanguage(newValue)) return;
  // Without the network the page stays in the language that it is in.
  chooseLanguage(newValue).catch(() => {});
}

/**
 * Loads the words in the current language; a change of language loads them again. Rejects if any is
 * missing, also when it failed before: i18next reports that only once.
 */
export async function needWords(namespaces: readonly Namespace[]): Promise<void> {
  void startI18n();
  let language: string;
  do {
    language = i18next.language;
    await i18next.loadNamespaces([...namespaces]);
  } while (language !== i18next.language);
  const missing = namespaces.filter((each) => !i18next.hasResourceBundle(language, each));
  if (missing.length > 0) throw new Error(`Words are missing: ${missing}`);
}

/** Rejects, and changes nothing, if the words can't be loaded. Stored for later visits. */
export async function chooseLanguage(language: Language) {
  const shown = [i18next.options.ns ?? []].flat();
  await Promise.all(shown.map((namespace) => loadFile(language, namespace)));
  await i18next.changeLanguage(language);
  remember('language', language);
}

/** Numbers that name something instead of counting it. */
const NAMES: ReadonlySet<unknown> = new Set(['sequence', 'status', 'version']);

/** Formats the values in sentences: quantities as the language writes them. */
export const inWords: FormatterModule = {
  type: 'formatter',
  init() {},
  format: (value, _format, language, options) =>
    typeof value === 'number' && !NAMES.has(options?.interpolationkey)
      ? numberFormat(language).format(value)
      : value,
  // The words name no formats of their own.
  add() {},
  addCached() {},
};
