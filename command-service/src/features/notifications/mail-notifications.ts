import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { notificationCauses } from '@tallyhand/contracts/notification-causes';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import {
  comparePositions,
  formatPosition,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { notificationSentence } from '../../messages/notifications-en.ts';

export type NotificationMailTimes = NotificationTimes & { readonly checkEveryMs: number };

export const NOTIFICATION_MAIL_TIMES: NotificationMailTimes = {
  restMs: 2 * 60_000,
  betweenMs: 3_600_000,
  checkEveryMs: 5_000,
};

/** How many organizations, and how many mails, one round handles. */
const ROUND_MAX = 100;
/** How many notifications a mail lists; the rest are counted. */
const SENTENCES_MAX = 20;

export type NotificationMailSteps = {
  readonly accounts: {
    /** The current address; null if the person has none. */
    emailOf(userId: string): Promise<string | null>;
  };
  readonly organizations: { nameOf(organizationId: string): Promise<string> };
};

type Check = { readonly organization_id: string; readonly position: string };
type MailRow = {
  readonly mail_id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly notification_ids: readonly string[];
};

/**
 * Mails notifications that stay unread. The contents of a mail are stored before it is made, so that
 * each notification is mailed once to each person, even if the process dies. Run only one.
 */
export function mailNotifications(
  kit: Pick<Kit, 'pool' | 'mail' | 'settings' | 'readPosition' | 'log'>,
  steps: NotificationMailSteps,
  { checkEveryMs, ...times }: NotificationMailTimes = NOTIFICATION_MAIL_TIMES,
): AsyncDisposable {
  const { pool, log } = kit;
  return recurring(
    { everyMs: checkEveryMs, failed: 'notifications were not mailed', log },
    async () => {
      const { rows: checks } = await pool.query<Check>(
        `select organization_id, position from operational.notification_checks
         where check_at <= now() order by check_at limit ${ROUND_MAX}`,
      );
      for (const due of checks) await attempt(log, () => checkUnread(kit, due, times));
      const { rows: left } = await pool.query<MailRow>(
        // Organizations take turns.
        `select mail_id, organization_id, user_id, notification_ids from operational.notification_mails
         where handed_over_at is null
         order by row_number() over (partition by organization_id order by made_at), made_at
         limit ${ROUND_MAX}`,
      );
      for (const mail of left) await attempt(log, () => handOver(kit, steps, mail));
    },
  );
}

/** A failure is retried in the next round, and does not delay other mails. */
async function attempt(log: Log, work: () => Promise<void>) {
  await work().catch((error) => log.warn('notifications were not mailed', errorFields(error)));
}

/** Decides which members of an organization get a mail now, and when to check again. */
async function checkUnread(
  { pool, readPosition }: Pick<Kit, 'pool' | 'readPosition'>,
  { organization_id: organizationId, position }: Check,
  times: NotificationTimes,
) {
  const reached = parsePosition(position) ?? START;
  // The read model does not have the newest notifications yet.
  if (comparePositions(readPosition.current(), reached) < 0) return;
  const now = Date.now();
  let againAt = Number.POSITIVE_INFINITY;
  for (const [userId, notifications] of await unmailedNotifications(pool, organizationId)) {
    const { rows } = await pool.query<{ last: Date | null }>(
      'select max(made_at) as last from operational.notification_mails where user_id = $1',
      [userId],
    );
    const plan = planMail(notifications, rows[0]?.last?.getTime() ?? null, { ...times, now });
    againAt = Math.min(againAt, plan.againAt ?? againAt);
    if (plan.now.length === 0) continue;
    const ids = plan.now.map(({ id }) => id);
    await pool.query(
      `insert into operational.notification_mails
         (mail_id, organization_id, user_id, notification_ids, made_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [derivedId(userId, 'notifications', ...ids), organizationId, userId, ids, new Date(now)],
    );
  }
  // A newer notification changes the position and keeps the row.
  const unchanged = 'where organization_id = $1 and position = $2';
  if (againAt === Number.POSITIVE_INFINITY) {
    await pool.query(`delete from operational.notification_checks ${unchanged}`, [
      organizationId,
      position,
    ]);
    return;
  }
  await pool.query(`update operational.notification_checks set check_at = $3 ${unchanged}`, [
    organizationId,
    position,
    new Date(againAt),
  ]);
}

/** The mail has the row's id, so it is sent once even if it is made twice. */
async function handOver(
  { pool, mail, settings }: Pick<Kit, 'pool' | 'mail' | 'settings'>,
  { accounts, organizations }: NotificationMailSteps,
  { mail_id: id, organization_id: organizationId, user_id: userId, notification_ids: ids }: MailRow,
) {
  const to = await accounts.emailOf(userId);
  const notifications = to ? await notificationsById(pool, organizationId, userId, ids) : [];
  const [first] = notifications;
  if (to && first) {
    const path = notifications.length === 1 ? notificationPath(first) : '/dashboard';
    const text = mailsEn.notifications({
      organization: await organizations.nameOf(organizationId),
      sentences: notifications.slice(0, SENTENCES_MAX).map(notificationSentence),
      more: Math.max(notifications.length - SENTENCES_MAX, 0),
      url: `${settings.publicUrl}${path}`,
      settingsUrl: `${settings.publicUrl}/settings?tab=notifications`,
    });
    await mail.send({ id, organizationId, kind: 'notice', to, recipientId: userId, text });
  }
  await pool.query(
    'update operational.notification_mails set handed_over_at = now() where mail_id = $1',
    [id],
  );
}

/** A notification of one person, as it is mailed. */
type MailedNotification = Pick<Notification, 'kind' | 'params' | 'object'> &
  Unmailed & { readonly userId: string };

type Row = Omit<MailedNotification, 'at' | 'isCritical'> & {
  readonly created_at: Date;
  readonly severity: string;
};

/** Read in one round, oldest first. */
const ROWS_MAX = 5_000;

/** Each member's notifications. */
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
    and m.role <> 'Auditor'
  left join read_model.notification_preferences w on w.user_id = m.user_id
  where n.organization_id = $1`;

/** Notifications of the last day that the member wants and has not read or been mailed. */
const UNMAILED = `${FOR_MEMBERS}
    and n.created_at > now() - interval '1 day'
    and coalesce(w.email_notifications, true)
    and (n.kind <> 'agent-status' or coalesce(w.agent_status_updates, true))
    and (n.kind <> 'low-credits' or coalesce(w.credit_balance_alerts, true))
    and (n.to_user = m.user_id or ((n.to_roles is not null or n.to_user is null)
      and (n.to_roles is null or m.role = any(n.to_roles))
      and n.actor_id is distinct from m.user_id and n.created_at >= m.joined_at))
    and not exists (select from read_model.notification_reads r
      where r.user_id = m.user_id and r.notification_id = n.notification_id)
    and not exists (select from read_model.notification_reads_until r
      where r.user_id = m.user_id and r.until >= n.created_at)
    and not exists (select from operational.notification_mails s
      where s.user_id = m.user_id and n.notification_id = any(s.notification_ids))
  order by n.created_at, n.notification_id limit ${ROWS_MAX}`;

const BY_ID = `${FOR_MEMBERS} and m.user_id = $2 and n.notification_id = any($3)
  order by n.created_at, n.notification_id`;

/** By recipient, oldest first. */
async function unmailedNotifications(
  pool: pg.Pool,
  organizationId: string,
): Promise<Map<string, MailedNotification[]>> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<Row>(UNMAILED, [organizationId]),
  );
  return Map.groupBy(rows.map(fromRow), ({ userId }) => userId);
}

async function notificationsById(
  pool: pg.Pool,
  organizationId: string,
  userId: string,
  ids: readonly string[],
): Promise<MailedNotification[]> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<Row>(BY_ID, [organizationId, userId, ids]),
  );
  return rows.map(fromRow);
}

const fromRow = ({ created_at, severity, ...row }: Row): MailedNotification => ({
  ...row,
  at: created_at.getTime(),
  isCritical: severity === 'critical',
});

/**
 * A notification that a member has neither read nor received by mail. Moments are in milliseconds.
 */
type Unmailed = { readonly id: string; readonly at: number; readonly isCritical: boolean };

type MailPlan<N> = {
  /** The contents of a mail to send now; empty for none. */
  readonly now: readonly N[];
  /** When to check the rest again; null if there is none. */
  readonly againAt: number | null;
};

export type NotificationTimes = {
  /** How long a notification may stay unread before it is mailed. */
  readonly restMs: number;
  /** The minimum time between two mails to a person, except for critical notifications. */
  readonly betweenMs: number;
};

/**
 * One person's next mail. A critical notification goes at once, with those that are due. Others wait
 * until they are old enough, and until the last mail is long enough ago.
 */
export function planMail<N extends Unmailed>(
  notifications: readonly N[],
  lastAt: number | null,
  { now, restMs, betweenMs }: NotificationTimes & { readonly now: number },
): MailPlan<N> {
  const isFree = lastAt === null || now - lastAt >= betweenMs;
  const goes = notifications.filter(
    ({ at, isCritical }) => isCritical || (isFree && now - at >= restMs),
  );
  const rest = notifications.filter((notification) => !goes.includes(notification));
  if (rest.length === 0) return { now: goes, againAt: null };
  const rested = Math.min(...rest.map(({ at }) => at)) + restMs;
  const before = goes.length > 0 ? now : lastAt;
  const again = Math.max(rested, before === null ? 0 : before + betweenMs);
  return { now: goes, againAt: again };
}

/** Queues organizations with new notifications for the mail: one row each. */
export const recordNotifications = ({ pool }: Pick<Kit, 'pool'>): Reaction => ({
  name: 'note-notifications',
  async handle(events) {
    const positions = new Map<string, string>();
    for (const { type, envelope, position } of events) {
      const { organizationId } = envelope;
      if (organizationId && type in notificationCauses) {
        positions.set(organizationId, formatPosition(position));
      }
    }
    if (positions.size === 0) return;
    await pool.query(
      `insert into operational.notification_checks (organization_id, position)
       select * from unnest($1::uuid[], $2::text[])
       on conflict (organization_id) do update set position = excluded.position, check_at = now()`,
      [[...positions.keys()], [...positions.values()]],
    );
  },
});
