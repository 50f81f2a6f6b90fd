import type pg from 'pg';
import type { LogDifference } from './log-check.ts';

/** Replaces what an earlier check found in the event store, and counts the check. */
export async function keepDifferences(
  pool: pg.Pool,
  differences: readonly LogDifference[],
): Promise<void> {
  const found = differences.map(({ organizationId, first, last }) => ({
    organization_id: organizationId,
    first,
    last,
  }));
  await pool.query(
    `with found as (
       select * from jsonb_to_recordset($1) as r(organization_id uuid, first bigint, last bigint)),
     gone as (delete from operational.audit_differences
       where place = 'store' and organization_id not in (select organization_id from found)),
     checked as (insert into operational.audit_check (checked_at) values (now())
       on conflict (is_only) do update set checked_at = excluded.checked_at),
     counted as (insert into operational.log_checks as c (day, checks)
       values ((now() at time zone 'UTC')::date, 1)
       on conflict (day) do update set checks = c.checks + 1),
     counted_differences as (insert into operational.log_check_differences as c
         (organization_id, day, checks)
       select organization_id, (now() at time zone 'UTC')::date, 1 from found
       on conflict (organization_id, day) do update set checks = c.checks + 1)
     insert into operational.audit_differences (organization_id, place, first, last)
       select organization_id, 'store', first, last from found
     on conflict (organization_id, place) do update
       set first = excluded.first, last = excluded.last`,
    [JSON.stringify(found)],
  );
}

/** Replaces what an earlier export found in the rows of the read model. */
export async function keepRowsDifference(
  pool: pg.Pool,
  organizationId: string,
  difference: LogDifference | null,
): Promise<void> {
  await pool.query(
    difference
      ? `insert into operational.audit_differences (organization_id, place, first, last)
           values ($1, 'rows', $2, $3)
         on conflict (organization_id, place) do update
           set first = excluded.first, last = excluded.last`
      : `delete from operational.audit_differences where organization_id = $1 and place = 'rows'`,
    [organizationId, ...(difference ? [difference.first, difference.last] : [])],
  );
}

/** The entries of an organization whose events differ from what was computed or signed of them. */
export async function storeDifference(
  pool: pg.Pool,
  organizationId: string,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const { rows } = await pool.query<{ first: number; last: number }>(
    `select first::float8, last::float8 from operational.audit_differences
     where organization_id = $1 and place = 'store'`,
    [organizationId],
  );
  return rows[0] ?? null;
}
