import {
  LegalHoldLifted,
  LegalHoldPlaced,
  RetentionRuleChanged,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
import type { Erasure } from './erasure.ts';

export type RetentionTimes = { readonly everyMs: number; readonly now: () => Date };

const TIMES: RetentionTimes = { everyMs: 3_600_000, now: () => new Date() };
const AT_ONCE_MAX = 1_000;

type Due = {
  readonly organization_id: string;
  readonly user_id: string;
  readonly is_asked: boolean;
};

/**
 * Who left and is due: by the rule of the organization, or because their own erasure waited. One of
 * each organization comes first, then the second of each.
 */
const DUE = `
  select organization_id, user_id, is_asked from (
    select a.organization_id, a.user_id, w.user_id is not null as is_asked, a.left_at,
      row_number() over (partition by a.organization_id order by a.left_at, a.user_id) as turn
    from operational.access a
    left join operational.retention r using (organization_id)
    left join operational.waiting_erasures w using (user_id)
    where not a.is_active and not coalesce(r.is_held, false)
      and (w.user_id is not null or a.left_at <= $1::timestamptz - make_interval(days => r.days))
      and exists (select from operational.person_keys k
        where k.person_id = a.user_id and k.sealed is not null)) due
  order by turn, left_at, user_id limit $2`;

/** Erases former members who are due. May run in several processes. */
export function eraseFormerMembers(
  { pool, log }: Kit,
  erasure: Erasure,
  { everyMs, now }: RetentionTimes = TIMES,
): AsyncDisposable {
  const failed = 'former members were not erased';
  return recurring({ everyMs, startsAtOnce: true, failed, log }, async (stop) => {
    const { rows } = await pool.query<Due>(DUE, [now(), AT_ONCE_MAX]);
    for (const { organization_id: organizationId, user_id: userId, is_asked: isAsked } of rows) {
      if (stop.aborted) return;
      const commandId = derivedId(userId, 'erased-by-retention');
      const context = backgroundContext('worker', organizationId, { commandId });
      const erased = erasure.eraseFormer(context, { userId, organizationId }, isAsked);
      // One person who can't be erased is no reason to leave out the others.
      await erased.catch((error) =>
        log.error('a former member was not erased', { organizationId, ...errorFields(error) }),
      );
    }
  });
}

/** Keeps the list of rules and holds that the look for due people reads. */
export function keepRetention({ pool }: Kit): Reaction {
  const hold = (organizationId: string, isHeld: boolean) =>
    pool.query(
      `insert into operational.retention (organization_id, is_held) values ($1, $2)
       on conflict (organization_id) do update set is_held = excluded.is_held`,
      [organizationId, isHeld],
    );
  return reaction('keep-retention', {
    RetentionRuleChanged: async ({ data, envelope }) => {
      const { organizationId, days } = RetentionRuleChanged.read(data, envelope.schemaVersion);
      await pool.query(
        `insert into operational.retention (organization_id, days) values ($1, $2)
         on conflict (organization_id) do update set days = excluded.days`,
        [organizationId, days],
      );
    },
    LegalHoldPlaced: async ({ data, envelope }) => {
      await hold(LegalHoldPlaced.read(data, envelope.schemaVersion).organizationId, true);
    },
    LegalHoldLifted: async ({ data, envelope }) => {
      await hold(LegalHoldLifted.read(data, envelope.schemaVersion).organizationId, false);
    },
  });
}
