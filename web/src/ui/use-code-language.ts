import { useSyncExternalStore } from 'react';
import { type CodeLanguage, codeLanguages } from './code-language.ts';
import { remember, remembered } from './remembered.ts';

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
export function chooseCodeLanguage(language: CodeLanguage) {
  chosen = language;
  for (const listener of listeners) listener();
  remember('codeLanguage', language);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCodeLanguage = () => useSyncExternalStore(subscribe, chosenLanguage);
