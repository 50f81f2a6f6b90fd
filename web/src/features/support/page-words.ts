import i18next from 'i18next';
import { use } from 'react';

/** One part of a section: a paragraph, or what its key says. `[words](/address)`, `code`, **bold**. */
export type Block =
  | string
  | { readonly list: readonly string[] }
  | { readonly steps: readonly string[] }
  | { readonly code: string }
  /** A program of the guides, by the name of its files. */
  | { readonly sample: string }
  | { readonly image: string; readonly alt: string };

export type Section = {
  /** Its place in the address, after the `#`. */
  readonly id: string;
  readonly title: string;
  /** As 2026-11-21, where it was written on a day. */
  readonly date?: string;
  readonly blocks: readonly Block[];
};

/** All the words of a page of text. */
export type PageWords = {
  readonly title: string;
  readonly description: string;
  readonly sections: readonly Section[];
};

const FALLBACK = 'en';
const loaders = import.meta.glob<PageWords>('../../locales/*/pages/*.json', { import: 'default' });
const begun = new Map<string, Promise<PageWords>>();

/** Texts of this length come with their page, not with the words of the whole app. */
function load(page: string, language: string): Promise<PageWords> {
  const file = (of: string) => `../../locales/${of}/pages/${page}.json`;
  const key = file(language);
  const loader = loaders[key] ?? loaders[file(FALLBACK)];
  if (!loader) throw new Error(`There are no words for the page ${page}`);
  const words = begun.get(key) ?? loader();
  begun.set(key, words);
  // On a later visit the network may be back.
  words.catch(() => begun.delete(key));
  return words;
}

/** The words of a page in the chosen language; waits for them. */
export const usePageWords = (page: string): PageWords => use(load(page, i18next.language));

const textOf = (block: Block): string => {
  if (typeof block === 'string') return block;
  if ('code' in block) return block.code;
  if ('sample' in block) return block.sample;
  if ('image' in block) return block.alt;
  return ('list' in block ? block.list : block.steps).join(' ');
};

/** Case and accents don't matter. */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The sections that have all the words, those with them in their titles first. */
export function matchingAnswers(sections: readonly Section[], words: string): readonly Section[] {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((word) => plain(text).includes(word));
  const found = sections.filter(({ title, blocks }) =>
    has([title, ...blocks.map(textOf)].join(' ')),
  );
  return wanted.length === 0
    ? found
    : found.toSorted((a, b) => Number(has(b.title)) - Number(has(a.title)));
}
