import type { Block, Section } from './page-words.ts';

const textOf = (block: Block): string => {
  if (typeof block === 'string') return block;
  if ('code' in block) return block.code;
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
