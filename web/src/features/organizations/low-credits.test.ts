import { describe, expect, it } from 'vitest';
import { percentOf } from '../../ui/progress.tsx';
import { BALANCE_UNUSED, usedPercent } from './low-credits.tsx';

describe('the share of used credits', () => {
  it('grows as the balance falls', () => {
    expect(usedPercent(BALANCE_UNUSED)).toBe(0);
    expect(usedPercent(BALANCE_UNUSED / 4)).toBe(75);
    expect(usedPercent(0)).toBe(100);
  });

  it('is never more than everything or less than nothing', () => {
    expect(usedPercent(BALANCE_UNUSED * 2.5)).toBe(0);
    expect(usedPercent(-40)).toBe(100);
  });
});

describe('a percentage', () => {
  it('of nothing is 0', () => {
    expect(percentOf(0, 0)).toBe(0);
  });
});
