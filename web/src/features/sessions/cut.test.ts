import { describe, expect, it } from 'vitest';
import { cut } from './cut.ts';

describe('cut', () => {
  it('keeps what is short enough', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('', 3)).toBe('');
  });
  it('cuts what is one character too long, and says so', () => {
    expect(cut('abcd', 3)).toBe('abc…');
  });
  it('never cuts a character in two', () => {
    expect(cut('🦀🦀🦀', 2)).toBe('🦀🦀…');
  });
});
