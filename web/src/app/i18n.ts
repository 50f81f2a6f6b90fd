import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

/** Each language as its own file, loaded when it is chosen. Only complete ones stand here. */
const loaders = {
  en: () => import('../locales/en.ts'),
};

export type Language = keyof typeof loaders;

export const languages: readonly { code: Language; name: string }[] = [
  { code: 'en', name: 'English' },
];

const STORED_AS = 'tallyhand-language';
const FALLBACK: Language = 'en';

const isLanguage = (code: string | null | undefined): code is Language =>
  code !== null && code !== undefined && Object.hasOwn(loaders, code);

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}

/** What was chosen before, else the browser's language, else English. */
function preferredLanguage(): Language {
  const [browsers] = navigator.language.split('-');
  return [storedLanguage(), browsers].find(isLanguage) ?? FALLBACK;
}

async function load(language: Language) {
  const { resources } = await loaders[language]();
  for (const [namespace, texts] of Object.entries(resources)) {
    i18next.addResourceBundle(language, namespace, texts);
  }
}

function markPage() {
  document.documentElement.lang = i18next.language;
}

/** Must have ended before the first text is shown. */
export async function startI18n() {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: FALLBACK,
    defaultNS: 'common',
    interpolation: { escapeValue: false }, // React escapes.
    resources: {},
  });
  await Promise.all([...new Set([language, FALLBACK])].map(load));
  i18next.on('languageChanged', markPage);
  markPage();
}

export async function chooseLanguage(language: Language) {
  await load(language);
  await i18next.changeLanguage(language);
  try {
    localStorage.setItem(STORED_AS, language);
  } catch {
    // Without storage the choice holds for this page only.
  }
}
