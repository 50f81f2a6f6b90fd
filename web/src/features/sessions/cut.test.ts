import { describe, expect, it } from 'vitest';
import { cut } from './cut.ts';

describe('cut', () => {
  it('keeps a short text', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('', 3)).toBe('');
  });
  it('truncates a text that is one character too long, and marks it', () => {
    expect(cut('abcd', 3)).toBe('abc…');
  });
  it('never cuts a character in two', () => {
    expect(cut('🦀🦀🦀', 2)).toBe('🦀🦀…');
  });
});
