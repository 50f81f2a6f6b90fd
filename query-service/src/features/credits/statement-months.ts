import {
  STATEMENT_AFTER_MINUTES,
  type Statement,
} from '@tallyhand/contracts/features/credits/statements.endpoints';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

const MINUTE_MS = 60_000;

/** A month (UTC), as 2026-10, with its bounds. */
export function monthNamed(month: string): Statement {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const start = (at: number) => new Date(Date.UTC(year, at, 1)).toISOString();
  return { month, startsAt: start(number - 1), endsAt: start(number) };
}

const monthOf = (at: string) => at.slice(0, 'YYYY-MM'.length);

const statementFrom = ({ endsAt }: Statement) =>
  Date.parse(endsAt) + STATEMENT_AFTER_MINUTES * MINUTE_MS;

/** The months that have a statement, newest first. */
export function statementMonths(registeredAt: string, now: Date): Statement[] {
  const months: Statement[] = [];
  let month = monthNamed(monthOf(registeredAt));
  while (statementFrom(month) <= now.getTime()) {
    months.unshift(month);
    month = monthNamed(monthOf(month.endsAt));
  }
  return months;
}

/** Why a month has no statement, or null. */
export function refusalOfMonth(month: Statement, registeredAt: string, now: Date): Refusal | null {
  const from = statementFrom(month);
  if (from > now.getTime()) {
    const at = new Date(from).toISOString();
    return invalidField('month', `The statement of ${month.month} can be made from ${at} on`);
  }
  const first = monthOf(new Date(registeredAt).toISOString());
  if (month.month >= first) return null;
  return invalidField(
    'month',
    `The organization was created in ${first}: month must not be earlier`,
  );
}
