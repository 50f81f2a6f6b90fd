import { afterEach, describe, expect, it, vi } from 'vitest';
import { daysOf, withMoments } from './periods.ts';

afterEach(() => vi.unstubAllEnvs());

/** What `act` returns in a browser of this time zone. */
function inZone<T>(zone: string, act: () => T): T {
  vi.stubEnv('TZ', zone);
  return act();
}

const at = (time: string) => new Date(time);

describe('the days of a period', () => {
  it.each([
    ['today', { from: '2026-03-01', to: '2026-03-01' }],
    ['7d', { from: '2026-02-23', to: '2026-03-01' }],
    ['30d', { from: '2026-01-31', to: '2026-03-01' }],
    ['month', { from: '2026-03-01', to: '2026-03-01' }],
  ] as const)('end today, also where a month has just begun: %s', (period, days) => {
    expect(daysOf(period, new Date(2026, 2, 1, 9))).toEqual(days);
  });

  it('count the last day of a leap year’s February', () => {
    expect(daysOf('7d', new Date(2028, 2, 2))).toEqual({ from: '2028-02-25', to: '2028-03-02' });
    expect(daysOf('month', new Date(2028, 1, 29))).toEqual({
      from: '2028-02-01',
      to: '2028-02-29',
    });
  });

  it("are those of the user's time zone", () => {
    const midnight = at('2026-12-31T23:30:00Z');
    const today = (zone: string) => inZone(zone, () => daysOf('today', midnight).to);
    expect(today('America/Los_Angeles')).toBe('2026-12-31');
    expect(today('Europe/Berlin')).toBe('2027-01-01');
    expect(inZone('Pacific/Auckland', () => daysOf('month', midnight))).toEqual({
      from: '2027-01-01',
      to: '2027-01-01',
    });
  });

  it('are as many where the clocks change', () => {
    // Late in the evening, 30 days of 24 hours before, it was another day.
    const autumn = at('2026-11-01T22:30:00Z');
    expect(inZone('Europe/Berlin', () => daysOf('7d', autumn))).toEqual({
      from: '2026-10-26',
      to: '2026-11-01',
    });
  });
});

describe('the filter sent to the server', () => {
  it("has whole days of the user's calendar", () => {
    const query = withMoments({ q: 'malta', from: '2026-02-28', to: '2026-02-28' });
    expect(query).toEqual({
      q: 'malta',
      from: new Date(2026, 1, 28).toISOString(),
      to: new Date(2026, 2, 1).toISOString(),
    });
  });

  it('has the moments of its period, on a day of 25 hours too', () => {
    const sent = inZone('Europe/Berlin', () =>
      withMoments({ period: 'today' }, at('2026-10-25T12:00:00Z')),
    );
    expect(sent).toEqual({ from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z' });
  });

  it('has the period where the address has days too, and no period that is unknown', () => {
    const now = new Date(2026, 4, 9);
    expect(withMoments({ period: 'month', from: '2020-01-01' }, now)).toEqual(
      withMoments({ from: '2026-05-01', to: '2026-05-09' }),
    );
    expect(withMoments({ period: 'century', q: 'malta' })).toEqual({ q: 'malta' });
  });
});
