import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

const DAY_MS = 86_400_000;
const DAYS_WITHOUT_ASKING = 30;
const DAYS_MAX = 366;
/** PostgreSQL has no year 0, and there was no usage before this. */
const FIRST_DAY = '1970-01-01';

type DayRange = { readonly from: string; readonly to: string };

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The requested days (UTC, inclusive); by default the last 30 days up to `now`. */
export function usageRange(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): DayRange | Refusal {
  const to = asked.to ?? dayOf(now.getTime());
  const from = asked.from ?? dayOf(Date.parse(to) - (DAYS_WITHOUT_ASKING - 1) * DAY_MS);
  if (from < FIRST_DAY) return invalidField('from', `from must be ${FIRST_DAY} or later`);
  if (from > to) return invalidField('from', 'from must not be after to');
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days > DAYS_MAX)
    return invalidField('from', `At most ${DAYS_MAX} days can be asked for at once`);
  return { from, to };
}
