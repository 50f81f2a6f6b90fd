import type { ResourceKey } from 'i18next';

/**
 * The English words of all pages but the landing page. The list of these files weighs more than all that
 * the landing page shows, so that it comes on its own.
 */
export const furtherFiles = import.meta.glob<ResourceKey>(
  ['../locales/en/*.json', '!../locales/en/{common,landing}.json'],
  { import: 'default' },
);
