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

/** What almost every signed-in page shows and asks the server for: its frame, and the small parts. */
const SHELL = [
  /\/app\/(frame\.ts|whole-days\.ts|load-failed\.tsx|more-pages\.tsx)$/,
  /\/ui\/(page-header|card|skeleton|progress|time|short-id|states)\.tsx$/,
  /\/features\/(agents\/agents|knowledge\/knowledge|tasks\/tasks)\.api\.ts$/,
  /\/features\/tasks\/task-(links|status)\.tsx?$/,
];

/** What opens over a page, and what it stands on. */
const OVERLAYS = [
  /\/node_modules\/(@radix-ui|@floating-ui|react-remove-scroll|aria-hidden)\//,
  /\/ui\/(dialog|dropdown-menu|confirm-dialog|return-focus|popover|tabs)\.tsx?$/,
];

/** What is filled in, with the rules of what may be. */
const FORMS = [
  /\/node_modules\/(react-hook-form|@hookform)\//,
  /\/ui\/(field|input|textarea|select|switch|checkbox|password-input|form-dialog|slider)\.tsx$/,
  /\/app\/(form|use-saving|edit-dialog|delete-dialog)\.tsx?$/,
  /\/contracts\/src\//,
];

/** Long lists, and what they are looked through with. */
const LISTS = [
  /\/ui\/(long-table|table|items-away|use-long-list|scrollable)\.tsx?$/,
  /\/app\/(paged-list|address-filter|day-filter|use-address-filter|use-settled)\.tsx?$/,
];

/** What the landing page shares with the pages that are nothing but text. */
const PUBLIC = [
  /\/features\/support\/(page-head|public-header|contact-details|rich-text|product-picture|use-place)\.tsx?$/,
];

const anyOf = (patterns: readonly RegExp[]) => (id: string) =>
  patterns.some((pattern) => pattern.test(id));

/** Small files that are needed together travel together: a request costs more than what they weigh. */
export const chunks = [
  { name: packageOf, priority: 8 },
  { name: 'base', tags: ['$initial' as const], priority: 7 },
  // Too small to travel alone, too many to come all: those of the same pages go together.
  {
    name: 'icons',
    test: /lucide-react/,
    entriesAware: true,
    entriesAwareMergeThreshold: 16_000,
    priority: 6,
  },
  // On pages with and without a sign-in.
  { name: 'parts', test: /\/(app\/switchers|ui\/badge)\.tsx$/, priority: 5 },
  { name: 'shell', test: anyOf(SHELL), priority: 4 },
  { name: 'public', test: anyOf(PUBLIC), priority: 4 },
  { name: 'overlays', test: anyOf(OVERLAYS), priority: 3 },
  { name: 'forms', test: anyOf(FORMS), priority: 2 },
  { name: 'lists', test: anyOf(LISTS), priority: 1 },
];
