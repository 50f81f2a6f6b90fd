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
