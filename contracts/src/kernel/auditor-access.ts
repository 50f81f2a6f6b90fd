import { z } from 'zod';

/** How long an Auditor has access, in days from today, unless an Admin chooses another last day. */
export const AUDITOR_DAYS = 30;
export const AUDITOR_DAYS_MAX = 366;

const DAY_MS = 86_400_000;

/** A day in UTC, as `2027-01-31`. */
export const Day = z.iso.date({ error: 'Must be a day, as 2027-01-31' });

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 'yyyy-mm-dd'.length);

export const dayAfter = (now: Date, days: number): string =>
  dayOf(new Date(now.getTime() + days * DAY_MS));

/** When access ends: at the end of the last day. */
export const endOfDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString();

/** Why a day can't be an Auditor's last one; null if it can. */
export function whyNotLastDay(day: string, now: Date): string | null {
  if (day < dayOf(now)) return 'Last day must be today (UTC) or later';
  const isTooLate = day > dayAfter(now, AUDITOR_DAYS_MAX);
  return isTooLate ? `Last day must be at most ${AUDITOR_DAYS_MAX} days from now` : null;
}
