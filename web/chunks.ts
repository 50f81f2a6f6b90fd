import type { Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;

/** What some pages share would be named after all of these pages. */
export const chunkFileNames = ({ name }: { name: string }) =>
  `assets/${name.replace(/~.*/, '')}-[hash].js`;

/** Small files that are needed together form one chunk: a request costs more than they weigh. */
export const chunks: Group[] = [
  // Packages that rarely change are cached on their own.
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 8 },
  { name: 'i18n', test: /node_modules\/(react-)?i18next\//, priority: 8 },
  { name: 'zod', test: /node_modules\/zod\//, priority: 8 },
  { name: 'three', test: /node_modules\/three\//, priority: 8 },
  { name: 'base', tags: ['$initial'], priority: 7 },
  // Icons are too small for a request each: those of the same pages form one chunk.
  {
    name: 'icons',
    test: /lucide-react/,
    entriesAware: true,
    entriesAwareMergeThreshold: 16_000,
    priority: 6,
  },
  // On public and signed-in pages.
  { name: 'parts', test: /\/(app\/switchers|ui\/badge)\.tsx$/, priority: 5 },
  // The frame of almost every signed-in page, and the lists that most of them read.
  {
    name: 'shell',
    test: /\/app\/(frame|loaded|more-pages|whole-days)\.tsx?$|\/ui\/(page-header|card|skeleton|progress|time|short-id|states)\.tsx$|\/(agents|knowledge|tasks)\.api\.ts$|\/tasks\/task-(links|status)\.tsx?$/,
    priority: 4,
  },
  {
    name: 'public',
    test: /\/support\/(page-head|public-header|contact-details|rich-text|product-picture|use-place)\.tsx?$/,
    priority: 4,
  },
  {
    name: 'overlays',
    test: /node_modules\/(@radix-ui|@floating-ui)\/|\/ui\/(dialog|dropdown-menu|popover|tabs)\.tsx$/,
    priority: 3,
  },
  {
    name: 'forms',
    test: /node_modules\/(react-hook-form|@hookform)\/|\/ui\/(field|input|textarea|select|switch|checkbox|password-input|form-dialog|slider)\.tsx$|\/app\/(form|edit-dialog|confirm-action)\.tsx?$|\/contracts\/src\//,
    priority: 2,
  },
  {
    name: 'lists',
    test: /node_modules\/@tanstack\/|\/ui\/(long-table|items-away)\.tsx$|\/app\/(resource-list|paged-list|address-filter|day-filter|use-address-filter)\.tsx?$/,
    priority: 1,
  },
];
