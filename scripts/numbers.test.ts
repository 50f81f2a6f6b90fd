import { describe, expect, it } from 'vitest';
import { countOf, quantile, smallFilesWithOneImporter } from './numbers.js';

const small = 'export const a = 1;\n';
const imports = (...pairs: [from: string, to: string][]) =>
  pairs.map(([from, to]) => ({ from, to }));

describe('the numbers of the code', () => {
  it('has small files that one file imports, tests not counted', () => {
    const texts = new Map([['a/src/small.ts', small]]);
    const once = imports(['a/src/b.ts', 'a/src/small.ts'], ['a/src/b.test.ts', 'a/src/small.ts']);
    expect(smallFilesWithOneImporter(texts, once)).toEqual([
      { file: 'a/src/small.ts', importer: 'a/src/b.ts' },
    ]);
    const twice = [...once, ...imports(['a/src/c.ts', 'a/src/small.ts'])];
    expect(smallFilesWithOneImporter(texts, twice)).toEqual([]);
  });

  it('leaves out large files and those with a role', () => {
    const texts = new Map([
      ['a/src/large.ts', small.repeat(30)],
      ['a/src/b.routes.ts', small],
      ['a/src/env.ts', small],
    ]);
    const once = imports(...[...texts.keys()].map((to): [string, string] => ['a/src/c.ts', to]));
    expect(smallFilesWithOneImporter(texts, once)).toEqual([]);
  });

  it('leaves out files that are loaded on demand', () => {
    const texts = new Map([
      ['a/src/late.ts', small],
      ['a/src/c.ts', "const late = await import('./late.ts');\n"],
    ]);
    const once = imports(['a/src/c.ts', 'a/src/late.ts']);
    expect(smallFilesWithOneImporter(texts, once)).toEqual([]);
  });

  it('counts words, not parts of words, in either case', () => {
    expect(countOf('anew', ['Anew, and anew', 'planewise'])).toBe(2);
  });

  it('has quantiles', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(3);
    expect(quantile([], 0.5)).toBe(0);
  });
});
