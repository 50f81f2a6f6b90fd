import { describe, expect, it } from 'vitest';
import { lastDays, MOMENTS_MAX, momentAt, usageDays } from './moments.ts';

describe('the range of usage', () => {
  it('ends today in UTC and has the given number of days', () => {
    const now = Date.parse('2026-03-02T00:30:00+02:00');
    expect(lastDays(7, now)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  });
  it('is 30 days unless the address says 7 or 90', () => {
    expect(['7', '90', '', '45', 'x'].map(usageDays)).toEqual([7, 90, 30, 30, 30]);
  });
});

const beginning = Date.parse('2026-01-01T00:00:00Z');
const until = Date.parse('2026-01-01T10:00:00Z');

describe('the moments of a ledger', () => {
  it('go from its first entry on, evenly, in order', () => {
    expect(momentAt(0, beginning, until)).toBe('2026-01-01T00:00:00.000Z');
    expect(momentAt(MOMENTS_MAX / 2, beginning, until)).toBe('2026-01-01T05:00:00.000Z');
  });
  it('end with now, which is not a past moment', () => {
    expect(momentAt(MOMENTS_MAX, beginning, until)).toBeNull();
    expect(momentAt(MOMENTS_MAX - 1, beginning, until)).toBe('2026-01-01T09:57:00.000Z');
  });
  it('are never before the first entry, even where a clock is behind', () => {
    expect(momentAt(100, beginning, beginning - 5_000)).toBe('2026-01-01T00:00:00.000Z');
  });
});
