import type { ResourceKey } from 'i18next';

/**
 * The words of all pages but the landing page. The list of these files, in all languages, weighs more
 * than all that the landing page shows, so that it comes on its own.
 */
export const furtherFiles = import.meta.glob<ResourceKey>(
  ['../locales/*/*.json', '!../locales/*/{common,landing}.json'],
  { import: 'default' },
);
