/** Spans of days that move with the calendar, as an address holds them. */
export const PERIODS = ['today', '7d', '30d', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** Days (`2026-11-23`), both inclusive; an absent one leaves that side open. */
export type Days = { from?: string | undefined; to?: string | undefined };

const two = (number: number) => String(number).padStart(2, '0');

/** The day of a moment in the browser's time zone. */
const dayOf = (at: Date) =>
  `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Noon: whatever the clocks do in a night, the day is the one that was meant. */
const daysBefore = (at: Date, days: number) =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() - days, 12);

/** The days of a period in the browser's time zone; each ends today. */
export function daysOf(period: Period, now: Date): Required<Days> {
  const to = dayOf(now);
  switch (period) {
    case 'today':
      return { from: to, to };
    case '7d':
      return { from: dayOf(daysBefore(now, 6)), to };
    case '30d':
      return { from: dayOf(daysBefore(now, 29)), to };
    case 'month':
      return { from: dayOf(daysBefore(now, now.getDate() - 1)), to };
  }
}

/** The midnight that a day begins with, some days later, as an ISO time. */
function beginOf(day: string, daysLater = 0): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

type Dated = Days & { period?: string | undefined };

/** A filter with the days of its period in place of the period. */
export function withDays<F extends Dated>({ period, ...filter }: F, now = new Date()) {
  const known = PERIODS.find((each) => each === period);
  return known ? { ...filter, ...daysOf(known, now) } : filter;
}

/** A filter as the server takes it: its days, or those of its period, are whole days here. */
export function withMoments<F extends Dated>(filter: F, now = new Date()) {
  const { from, to, ...rest } = withDays(filter, now);
  return {
    ...rest,
    ...(from && { from: beginOf(from) }),
    ...(to && { to: beginOf(to, 1) }),
  };
}
