import { describe, expect, it } from 'vitest';
import { fillingOf, fillingOfPages } from './filling.ts';

describe('whether a list has rows', () => {
  it('is unknown until it is loaded', () => {
    expect(fillingOf(undefined)).toBe('unknown');
    expect(fillingOfPages(undefined)).toBe('unknown');
  });

  it('is told by its rows', () => {
    expect(fillingOf([])).toBe('empty');
    expect(fillingOf([1])).toBe('filled');
    expect(fillingOfPages({ pages: [{ entries: [] }, { entries: [1] }] })).toBe('filled');
    expect(fillingOfPages({ pages: [{ entries: [] }] })).toBe('empty');
  });

  it('does not keep the page from its action when it could not be loaded', () => {
    expect(fillingOf(undefined, { status: 500 })).toBe('filled');
  });
});
