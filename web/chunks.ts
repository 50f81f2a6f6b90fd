/** Packages that stay as they are for long are cached on their own. */
const PACKAGES: readonly (readonly [RegExp, string])[] = [
  [/node_modules\/(react|react-dom|scheduler)\//, 'react'],
  [/node_modules\/(react-)?i18next\//, 'i18n'],
  [/node_modules\/zod\//, 'zod'],
  [/node_modules\/three\//, 'three'],
];

const packageOf = (id: string) => PACKAGES.find(([fits]) => fits.test(id))?.[1] ?? null;

/** What some pages share would be named after all of these. */
export const chunkFileNames = ({ name }: { name: string }) =>
  `assets/${name.replace(/~.*/, '')}-[hash].js`;

/** Small files that are needed together travel together: a request costs more than what they weigh. */
export const chunks = [
  { name: packageOf, priority: 4 },
  { name: 'base', tags: ['$initial' as const], priority: 3 },
  // On pages with and without a sign-in.
  { name: 'parts', test: /\/(app\/switchers|ui\/badge)\.tsx$/, priority: 2 },
  // Too small to travel alone, too many to come all: those of the same pages go together.
  {
    name: 'icons',
    test: /lucide-react/,
    entriesAware: true,
    entriesAwareMergeThreshold: 4_000,
    priority: 3,
  },
  { name: 'shell', test: /\/app\/(with-store|require-user|shell)\.tsx$/, priority: 1 },
];
