import { use, useSyncExternalStore } from 'react';
import { i18n, needWords } from './i18n.ts';

const waiting = new Map<string, Promise<void>>();

/** What a component waits for whose words nobody has loaded. */
function wordsOf(namespaces: readonly string[]): Promise<void> {
  const key = [i18n.language, ...namespaces].join();
  const words = waiting.get(key) ?? needWords(namespaces);
  waiting.set(key, words);
  // On a later visit the network may be back.
  words.catch(() => waiting.delete(key));
  return words;
}

const sentences = new Map<string, ReturnType<typeof i18n.tFor>>();

/**
 * In place of the package `react-i18next` (vite.config.ts), whose types and calls it has: the sentences
 * of one or more files, in the language of the page.
 */
export function useTranslation(namespaces: string | readonly string[] = 'common') {
  const language = useSyncExternalStore(i18n.subscribe, () => i18n.language);
  const names = [namespaces].flat();
  if (!names.every((name) => i18n.has(name))) use(wordsOf(names));
  const key = [language, ...names].join();
  const t = sentences.get(key) ?? i18n.tFor(names);
  sentences.set(key, t);
  return { t, i18n };
}
