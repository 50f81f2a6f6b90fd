import type { Words } from './translator.ts';

/**
 * The words of all pages but the landing page. The list of these files, in all languages, weighs more
 * than all that the landing page shows, so that it comes on its own.
 */
export const furtherFiles = import.meta.glob<Words>(
  ['../locales/*/*.json', '!../locales/*/{common,landing}.json'],
  { import: 'default' },
);
