import type { resources } from '../locales/en.ts';
import { remember, remembered, storedAs } from '../ui/remembered.ts';
import { isLanguage, type Language, languageFor } from './languages.ts';
import { Translator, type Words } from './translator.ts';

/** A file of words. */
export type Namespace = keyof typeof resources;

/** The words of the landing page. */
const landingFiles = import.meta.glob<Words>('../locales/*/{common,landing}.json', {
  import: 'default',
});

/** The sentences of the page, in its language. */
export const i18n = new Translator(languageFor(remembered('language'), navigator.languages));
const begun = new Map<string, Promise<void>>();

/** Words that can't be loaded are asked for again the next time. */
function loadFile(language: string, namespace: string): Promise<void> {
  const name = `${language}/${namespace}`;
  const loading = begun.get(name) ?? readFile(language, namespace);
  begun.set(name, loading);
  loading.catch(() => begun.delete(name));
  return loading;
}

async function readFile(language: string, namespace: string) {
  const file = `../locales/${language}/${namespace}.json`;
  const load = landingFiles[file] ?? (await import('./further-words.ts')).furtherFiles[file];
  if (!load) throw new Error(`There are no words ${namespace} in ${language}`);
  i18n.add(language, namespace, await load());
}

function markPage() {
  document.documentElement.lang = i18n.language;
}

/** Must resolve before the first text is shown. */
export async function startI18n(): Promise<void> {
  i18n.subscribe(markPage);
  addEventListener('storage', followOtherTabs);
  await needWords(['common']);
  markPage();
}

/** A choice of language applies to all tabs. */
function followOtherTabs({ key, newValue }: StorageEvent) {
  if (key !== storedAs('language') || !newValue || !isLanguage(newValue)) return;
  // Without the network the page stays in the language that it is in.
  chooseLanguage(newValue).catch(() => {});
}

const needed = new Set<string>();

/** Loads the words in the current language; a change of language loads them again. */
export async function needWords(namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) needed.add(namespace);
  await Promise.all(namespaces.map((namespace) => loadFile(i18n.language, namespace)));
}

/** Rejects, and changes nothing, if the words can't be loaded. Stored for later visits. */
export async function chooseLanguage(language: Language) {
  await Promise.all([...needed].map((namespace) => loadFile(language, namespace)));
  i18n.speak(language);
  remember('language', language);
}
