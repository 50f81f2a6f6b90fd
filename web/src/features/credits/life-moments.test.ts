import { describe, expect, it } from 'vitest';
import { MOMENTS_MAX, momentAt } from './life-moments.ts';

const beginning = Date.parse('2026-01-01T00:00:00Z');
const until = Date.parse('2026-01-01T10:00:00Z');

describe('the moments of a ledger', () => {
  it('go from its first entry on, evenly, in order', () => {
    expect(momentAt(0, beginning, until)).toBe('2026-01-01T00:00:00.000Z');
    expect(momentAt(MOMENTS_MAX / 2, beginning, until)).toBe('2026-01-01T05:00:00.000Z');
  });
  it('end with now, which is no moment', () => {
    expect(momentAt(MOMENTS_MAX, beginning, until)).toBeNull();
    expect(momentAt(MOMENTS_MAX - 1, beginning, until)).toBe('2026-01-01T09:57:00.000Z');
  });
  it('are never before the first entry, even where a clock is behind', () => {
    expect(momentAt(100, beginning, beginning - 5_000)).toBe('2026-01-01T00:00:00.000Z');
  });
});
