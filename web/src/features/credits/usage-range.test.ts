import { describe, expect, it } from 'vitest';
import { lastDays, usageDays } from './usage-range.ts';

describe('the range of usage', () => {
  it('ends today in UTC and has the given number of days', () => {
    const now = Date.parse('2026-03-02T00:30:00+02:00');
    expect(lastDays(7, now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  });
  it('is 30 days unless the address says 7 or 90', () => {
    expect(['7', '90', '', '45', 'x'].map(usageDays)).toEqual([7, 90, 30, 30, 30]);
  });
});
