import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { extendTailwindMerge } from 'tailwind-merge';
import { describe, expect, it } from 'vitest';
import { cx } from './src/ui/cx.ts';

/** Knows all of Tailwind. */
const mergeAll = extendTailwindMerge({
  extend: { theme: { text: ['xs', 'sm', 'base', 'lg', '2xl', '4xl'], shadow: ['float'] } },
});

const sources = fileURLToPath(new URL('src/', import.meta.url));
const VARIANTS = /^(?:[\w-]+(?:\[[^\s]*?\])?:)+/;

/** The classes in the product's sources that set something, without the states that they are for. */
function classesOf(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const parts = files.filter((name) => /\.tsx?$/.test(name) && !/\.test\.|ui\/cx\.ts$/.test(name));
  const words = parts.flatMap((name) =>
    readFileSync(`${folder}/${name}`, 'utf8').split(/[\s'"`]+/),
  );
  const names = new Set(words.map((word) => word.replace(VARIANTS, '')));
  // The second class of a known group replaces the first.
  return [...names].filter((name) => name !== '' && mergeAll(`${name} ${name}`) === name);
}

describe('cx', () => {
  it('merges any two classes of the product as a merger that knows all of Tailwind does', () => {
    const classes = classesOf(sources);
    expect(classes).toEqual(expect.arrayContaining(['px-2', 'p-4', 'text-sm', 'border-accent']));
    const pairs = classes.flatMap((first) => classes.map((second) => `${first} ${second}`));
    expect(pairs.filter((pair) => cx(pair) !== mergeAll(pair))).toEqual([]);
  });

  it('distinguishes states, and the last class of a state wins', () => {
    expect(cx('px-2 hover:px-3 sm:hover:px-4', 'px-6', 'hover:px-8')).toBe(
      'sm:hover:px-4 px-6 hover:px-8',
    );
    expect(cx('[&_svg]:size-4 group-data-[state=open]:flex', '[&_svg]:size-6', 'flex')).toBe(
      'group-data-[state=open]:flex [&_svg]:size-6 flex',
    );
  });

  it('leaves one side where the other classes set all of them before', () => {
    expect(cx('p-4', 'px-2', 'pl-1')).toBe('p-4 px-2 pl-1');
    expect(cx('pl-1', 'px-2', 'p-4')).toBe('p-4');
  });

  it('joins the given classes and skips empty ones', () => {
    expect(cx('flex', false, undefined, { hidden: true, grid: false }, ['gap-2'])).toBe(
      'hidden gap-2',
    );
  });
});
