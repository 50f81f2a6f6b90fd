import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matchingAnswers } from './page-words.ts';

const words = import.meta.glob<unknown>('../../locales/*/pages/*.json', {
  import: 'default',
  eager: true,
});
const programs = Object.keys(import.meta.glob('./guides/*'));
const images = Object.keys(import.meta.glob('../../../../docs/images/*.webp'));

const Block = z.union([
  z.string().min(1),
  z.strictObject({ list: z.array(z.string()).min(1) }),
  z.strictObject({ steps: z.array(z.string()).min(1) }),
  z.strictObject({ code: z.string() }),
  z.strictObject({ sample: z.string() }),
  z.strictObject({ image: z.string(), alt: z.string().min(8) }),
]);
const PageWords = z.strictObject({
  title: z.string().min(1),
  // Chinese, Japanese and Korean write in one character what is a word elsewhere.
  description: z.string().min(8).max(170),
  sections: z.array(
    z.strictObject({
      id: z.string().regex(/^[a-z0-9-]+$/),
      title: z.string().min(1),
      date: z.iso.date().optional(),
      blocks: z.array(Block).min(1),
    }),
  ),
});

const pages = Object.entries(words).map(([file, page]) => ({ file, page }));

it('there are pages of text', () => {
  expect(pages.length).toBeGreaterThanOrEqual(9);
});

describe.each(pages)('the words of $file', ({ page }) => {
  it('have the shape that their page shows', () => {
    expect(() => PageWords.parse(page)).not.toThrow();
  });
  it('name each section once', () => {
    const ids = PageWords.parse(page).sections.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });
  it('show existing programs', () => {
    for (const block of PageWords.parse(page).sections.flatMap(({ blocks }) => blocks)) {
      if (typeof block !== 'object' || !('sample' in block)) continue;
      expect(programs.some((file) => file.startsWith(`./guides/${block.sample}.`))).toBe(true);
    }
  });
  it('show existing pictures', () => {
    for (const block of PageWords.parse(page).sections.flatMap(({ blocks }) => blocks)) {
      if (typeof block === 'object' && 'image' in block) {
        for (const look of ['light-wide', 'dark-wide', 'light-phone', 'dark-phone']) {
          expect(images).toContain(`../../../../docs/images/${block.image}-${look}.webp`);
        }
      }
    }
  });
});

const sections = [
  { id: 'refunds', title: 'Refunds', blocks: ['A failed task costs no credit.'] },
  { id: 'credits', title: 'What is a credit?', blocks: [{ list: ['One task', 'Köln café'] }] },
  { id: 'api', title: 'Is there an API?', blocks: [{ code: 'curl' }] },
];
const found = (words: string) => matchingAnswers(sections, words).map(({ id }) => id);

describe('the search of the help page', () => {
  it('shows all questions without a search', () => {
    expect(found('  ')).toEqual(['refunds', 'credits', 'api']);
  });
  it('finds questions with all the words, titles first', () => {
    expect(found('credit')).toEqual(['credits', 'refunds']);
    expect(found('task credit failed')).toEqual(['refunds']);
    expect(found('nowhere')).toEqual([]);
  });
  it('ignores case and accents, and searches lists and code', () => {
    expect(found('KOLN Cafe')).toEqual(['credits']);
    expect(found('curl')).toEqual(['api']);
  });
});
