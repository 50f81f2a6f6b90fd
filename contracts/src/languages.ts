/** Those of the web app and of the verifier's page. Each is named in its own language. */
export const languages = [
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

export type Language = (typeof languages)[number]['code'];

const FALLBACK: Language = 'en';

export const isLanguage = (code: string): code is Language =>
  languages.some((language) => language.code === code);

/**
 * The stored choice, else the first of the browser's languages that exists, else English. Regions are
 * ignored: `zh-TW` is `zh`, `pt-PT` is `pt`.
 */
export function languageFor(stored: string | null, ofBrowser: readonly string[]): Language {
  const wanted = [stored ?? '', ...ofBrowser].map((tag) => tag.split('-')[0]?.toLowerCase() ?? '');
  return wanted.find(isLanguage) ?? FALLBACK;
}
