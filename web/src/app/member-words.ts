import type { ResourceKey } from 'i18next';

/**
 * The words of signed-in pages. The list of these files, in all languages, weighs more than all that
 * the landing page shows, so that it comes on its own.
 */
export const memberFiles = import.meta.glob<ResourceKey>(
  [
    '../locales/*/*.json',
    '!../locales/*/{common,identity,landing,problems,support,validation}.json',
  ],
  { import: 'default' },
);
