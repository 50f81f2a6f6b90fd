import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Unmailed } from './plan-mail.ts';

/** One of a person's notices, as it is mailed. */
export type MailedNotice = Pick<Notification, 'kind' | 'params' | 'object'> &
  Unmailed & { readonly userId: string };

type Row = Omit<MailedNotice, 'at' | 'isCritical'> & {
  readonly created_at: Date;
  readonly severity: string;
};

/** So many are looked at together; of more the oldest go first. */
const ROWS_MAX = 5_000;

/** Those with the switch on, and the notices that are theirs. */
const FOR_MEMBERS = `
  select n.notification_id as id, m.user_id as "userId", n.kind, n.severity, n.created_at,
    n.params || jsonb_strip_nulls(jsonb_build_object(
      'agentName', (select a.name from read_model.agents a where a.agent_id = n.agent_id),
      'memberName', (select p.username from read_model.members p where p.user_id = n.actor_id)))
      || coalesce((select jsonb_build_object('cents', p.cents, 'currency', p.currency)
        from read_model.payments p
        where p.payment_id = n.object_id and n.object_kind = 'payment'), '{}') as params,
    json_build_object('kind', n.object_kind, 'id', n.object_id) as object
  from read_model.notifications n
  join read_model.members m on m.organization_id = n.organization_id and m.status = 'active'
  left join read_model.notice_preferences w on w.user_id = m.user_id
  where n.organization_id = $1`;

/** What is a day old is news no more. */
const UNMAILED = `${FOR_MEMBERS}
    and n.created_at > now() - interval '1 day'
    and coalesce(w.email_notifications, true)
    and (n.kind <> 'agent-status' or coalesce(w.agent_status_updates, true))
    and (n.kind <> 'low-credits' or coalesce(w.credit_balance_alerts, true))
    and (n.to_user = m.user_id or ((n.to_roles is not null or n.to_user is null)
      and (n.to_roles is null or m.role = any(n.to_roles))
      and n.actor_id is distinct from m.user_id and n.created_at >= m.joined_at))
    and not exists (select from read_model.notice_reads r
      where r.user_id = m.user_id and r.notification_id = n.notification_id)
    and not exists (select from read_model.notice_reads_until r
      where r.user_id = m.user_id and r.until >= n.created_at)
    and not exists (select from operational.notice_mails s
      where s.user_id = m.user_id and n.notification_id = any(s.notices))
  order by n.created_at, n.notification_id limit ${ROWS_MAX}`;

const BY_ID = `${FOR_MEMBERS} and m.user_id = $2 and n.notification_id = any($3)
  order by n.created_at, n.notification_id`;

/** By the person that they are for, oldest first. */
export async function unmailedNotices(
  pool: pg.Pool,
  organizationId: string,
): Promise<Map<string, MailedNotice[]>> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<Row>(UNMAILED, [organizationId]),
  );
  return Map.groupBy(rows.map(fromRow), ({ userId }) => userId);
}

export async function noticesById(
  pool: pg.Pool,
  organizationId: string,
  userId: string,
  ids: readonly string[],
): Promise<MailedNotice[]> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<Row>(BY_ID, [organizationId, userId, ids]),
  );
  return rows.map(fromRow);
}

const fromRow = ({ created_at, severity, ...row }: Row): MailedNotice => ({
  ...row,
  at: created_at.getTime(),
  isCritical: severity === 'critical',
});
