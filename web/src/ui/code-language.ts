import { useSyncExternalStore } from 'react';

/** The languages of code samples, in the order in which they are offered. */
export const codeLanguages = ['curl', 'javascript', 'python'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

export const codeLanguageNames: Readonly<Record<CodeLanguage, string>> = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
};

const STORED_AS = 'tallyhand-code-language';

const listeners = new Set<() => void>();
let chosen: CodeLanguage | undefined;

const isLanguage = (value: unknown): value is CodeLanguage =>
  codeLanguages.some((language) => language === value);

function chosenLanguage(): CodeLanguage {
  chosen ??= storedLanguage() ?? codeLanguages[0];
  return chosen;
}

function storedLanguage(): CodeLanguage | undefined {
  try {
    const stored = localStorage.getItem(STORED_AS);
    return isLanguage(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** All samples show the language that the reader chose last, also on later visits. */
export function chooseCodeLanguage(language: CodeLanguage) {
  chosen = language;
  for (const listener of listeners) listener();
  try {
    localStorage.setItem(STORED_AS, language);
  } catch {
    // Without storage the choice holds for this page only.
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCodeLanguage = () => useSyncExternalStore(subscribe, chosenLanguage);
