import de from './locales/de.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import it from './locales/it.json' with { type: 'json' };
import ja from './locales/ja.json' with { type: 'json' };
import ko from './locales/ko.json' with { type: 'json' };
import pt from './locales/pt.json' with { type: 'json' };
import ru from './locales/ru.json' with { type: 'json' };
import zh from './locales/zh.json' with { type: 'json' };

export const LANGUAGES = [
  { code: 'en', name: 'English' },
  { code: 'es', name: 'Español' },
  { code: 'fr', name: 'Français' },
  { code: 'de', name: 'Deutsch' },
  { code: 'it', name: 'Italiano' },
  { code: 'pt', name: 'Português' },
  { code: 'ru', name: 'Русский' },
  { code: 'zh', name: '中文' },
  { code: 'ja', name: '日本語' },
  { code: 'ko', name: '한국어' },
] as const;

export type Language = (typeof LANGUAGES)[number]['code'];
export type TextName = keyof typeof en;

/** They have all the texts of English: the compiler compares them. */
export const texts: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = {
  de,
  en,
  es,
  fr,
  it,
  ja,
  ko,
  pt,
  ru,
  zh,
};

/** The stored choice, else the first of the browser's languages that exists, else English. */
export function languageFor(stored: string | null, ofBrowser: readonly string[]): Language {
  const wanted = [stored ?? '', ...ofBrowser].map((tag) => tag.split('-')[0]?.toLowerCase());
  return (
    LANGUAGES.find(({ code }) => code === wanted.find((each) => each && each in texts))?.code ??
    'en'
  );
}
