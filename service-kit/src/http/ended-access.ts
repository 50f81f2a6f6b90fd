import { dayOf } from '@tallyhand/contracts/kernel/auditor-access';
import { AuditorAccessEnded, NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type pg from 'pg';

/** Why a sign-in or an API key that is not valid is refused. */
export async function whyNotValid(pool: pg.Pool, credentialId: string): Promise<Refusal> {
  const { rows } = await pool.query<{ at: Date | null }>(
    'select operational.access_ended($1) as at',
    [credentialId],
  );
  const at = rows[0]?.at;
  return at ? accessEnded(at) : NotSignedIn({});
}

/** The refusal of an Auditor whose access ended at a moment, such as the end of a day. */
export const accessEnded = (at: Date): Refusal => AuditorAccessEnded({ lastDay: lastDayOf(at) });

export const lastDayOf = (end: Date): string => dayOf(new Date(end.getTime() - 1));
