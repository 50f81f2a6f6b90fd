import { describe, expect, it } from 'vitest';
import { withChips } from './chips-input.tsx';

describe('chips', () => {
  it('are trimmed and unique', () => {
    expect(withChips(['Sales'], ' Legal , Sales ,, ')).toEqual(['Sales', 'Legal']);
  });
  it('come one from each pasted line', () => {
    expect(withChips([], 'HR\r\nFinance\n')).toEqual(['HR', 'Finance']);
  });
});
