import type { ResourceKey } from 'i18next';

/** As `furtherFiles`, in all other languages: nine times as many, so that English pages go without. */
export const translatedFiles = import.meta.glob<ResourceKey>(
  ['../locales/*/*.json', '!../locales/en/*.json', '!../locales/*/{common,landing}.json'],
  { import: 'default' },
);
