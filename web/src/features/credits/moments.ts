export const USAGE_DAYS = [7, 30, 90] as const;
export type UsageDays = (typeof USAGE_DAYS)[number];

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The number of days that an address asks for; 30 where it asks for none that there is. */
export const usageDays = (asked: string): UsageDays =>
  USAGE_DAYS.find((days) => String(days) === asked) ?? DEFAULT_DAYS;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The last days until today, in UTC, both inclusive. `now` is in milliseconds. */
export const lastDays = (days: number, now: number) => ({
  from: dayOf(now - (days - 1) * DAY_MS),
  to: dayOf(now),
});

/** Steps of the slider: fine enough to point at, few enough for the keys. */
export const MOMENTS_MAX = 200;

/**
 * The moment that a stop stands for, between the beginning of the ledger (stop 0) and `until`, both
 * in milliseconds; null at the last stop, which is now, whatever happens meanwhile.
 */
export function momentAt(stop: number, beginning: number, until: number): string | null {
  if (stop >= MOMENTS_MAX) return null;
  const span = Math.max(0, until - beginning);
  return new Date(beginning + Math.floor((span * stop) / MOMENTS_MAX)).toISOString();
}
