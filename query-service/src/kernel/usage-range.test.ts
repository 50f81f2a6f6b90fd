import { describe, expect, it } from 'vitest';
import { usageRange } from './usage-range.ts';

const now = new Date('2026-11-21T23:30:00.000-05:00');

describe('the requested days of usage', () => {
  it('are the last 30 in UTC by default', () => {
    expect(usageRange({}, now)).toEqual({ from: '2026-10-24', to: '2026-11-22' });
  });

  it('end today, or begin 30 days before the end', () => {
    expect(usageRange({ from: '2026-11-01' }, now)).toEqual({
      from: '2026-11-01',
      to: '2026-11-22',
    });
    expect(usageRange({ to: '2026-03-01' }, now)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
  });

  it('may be one day, or 366', () => {
    const day = { from: '2026-11-21', to: '2026-11-21' };
    expect(usageRange(day, now)).toEqual(day);
    const year = { from: '2023-11-22', to: '2024-11-21' };
    expect(usageRange(year, now)).toEqual(year);
  });

  it.each([
    ['more than 366', { from: '2023-11-21', to: '2024-11-21' }],
    ['backwards', { from: '2026-11-22', to: '2026-11-21' }],
    ['from tomorrow on', { from: '2026-11-23' }],
    ['in a year that PostgreSQL has not', { from: '0000-01-01', to: '0000-01-02' }],
    ['before there were any', { to: '0001-01-01' }],
  ])('are refused when they are %s, by the name of the field', (_, asked) => {
    expect(usageRange(asked, now)).toMatchObject({ status: 422, errors: [{ path: 'from' }] });
  });
});
