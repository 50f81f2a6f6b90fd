import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import {
  comparePositions,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { recurring } from '../../kit/recurring.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { noticeSentence } from '../../messages/notifications-en.ts';

export type NoticeMailTimes = NoticeTimes & { readonly lookEveryMs: number };

export const NOTICE_MAIL_TIMES: NoticeMailTimes = {
  restMs: 2 * 60_000,
  betweenMs: 3_600_000,
  lookEveryMs: 5_000,
};

/** How many organizations, or mails, are taken up in one round. */
const ROUND_MAX = 100;
/** What a mail says one by one; of more it says how many. */
const SENTENCES_MAX = 20;

export type NoticeMailSteps = {
  /** The person's present address; null where they have none any more. */
  readonly emailOf: (userId: string) => Promise<string | null>;
  readonly organizationName: (organizationId: string) => Promise<string>;
};

type Look = { readonly organization_id: string; readonly position: string };
type MailRow = {
  readonly mail_id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly notices: readonly string[];
};

/**
 * Mails what has stayed unread. Which notices a mail holds is stored before it is made, so that each
 * is mailed once to each person, wherever the process dies. Only one such runs at a time.
 */
export function mailNotifications(
  kit: Pick<Kit, 'pool' | 'mail' | 'settings' | 'readPosition' | 'log'>,
  steps: NoticeMailSteps,
  { lookEveryMs, ...times }: NoticeMailTimes = NOTICE_MAIL_TIMES,
): AsyncDisposable {
  const { pool, log } = kit;
  return recurring(
    { everyMs: lookEveryMs, failed: 'notifications were not mailed', log },
    async () => {
      const { rows: looks } = await pool.query<Look>(
        `select organization_id, position from operational.notice_looks
         where look_at <= now() order by look_at limit ${ROUND_MAX}`,
      );
      for (const due of looks) await attempt(log, () => look(kit, due, times));
      const { rows: left } = await pool.query<MailRow>(
        // In turns by organization.
        `select mail_id, organization_id, user_id, notices from operational.notice_mails
         where handed_over_at is null
         order by row_number() over (partition by organization_id order by made_at), made_at
         limit ${ROUND_MAX}`,
      );
      for (const mail of left) await attempt(log, () => handOver(kit, steps, mail));
    },
  );
}

/** A failure for one of them is tried again in the next round and delays no one else. */
async function attempt(log: Log, work: () => Promise<void>) {
  await work().catch((error) => log.warn('notifications were not mailed', errorFields(error)));
}

/** Decides who of an organization gets a mail now, and when to look again. */
async function look(
  { pool, readPosition }: Pick<Kit, 'pool' | 'readPosition'>,
  { organization_id: organizationId, position }: Look,
  times: NoticeTimes,
) {
  const reached = parsePosition(position) ?? START;
  // What has happened is not among the notices yet.
  if (comparePositions(readPosition.current(), reached) < 0) return;
  const now = Date.now();
  let againAt = Number.POSITIVE_INFINITY;
  for (const [userId, notices] of await unmailedNotices(pool, organizationId)) {
    const { rows } = await pool.query<{ last: Date | null }>(
      'select max(made_at) as last from operational.notice_mails where user_id = $1',
      [userId],
    );
    const plan = planMail(notices, rows[0]?.last?.getTime() ?? null, { ...times, now });
    againAt = Math.min(againAt, plan.againAt ?? againAt);
    if (plan.now.length === 0) continue;
    const ids = plan.now.map(({ id }) => id);
    await pool.query(
      `insert into operational.notice_mails (mail_id, organization_id, user_id, notices, made_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [derivedId(userId, 'notices', ...ids), organizationId, userId, ids, new Date(now)],
    );
  }
  // Where something happened meanwhile, it is looked at once more.
  const unchanged = 'where organization_id = $1 and position = $2';
  if (againAt === Number.POSITIVE_INFINITY) {
    await pool.query(`delete from operational.notice_looks ${unchanged}`, [
      organizationId,
      position,
    ]);
    return;
  }
  await pool.query(`update operational.notice_looks set look_at = $3 ${unchanged}`, [
    organizationId,
    position,
    new Date(againAt),
  ]);
}

/** The mail has the row's own id: made twice, it is still sent once. */
async function handOver(
  { pool, mail, settings }: Pick<Kit, 'pool' | 'mail' | 'settings'>,
  { emailOf, organizationName }: NoticeMailSteps,
  { mail_id: id, organization_id: organizationId, user_id: userId, notices: ids }: MailRow,
) {
  const to = await emailOf(userId);
  const notices = to ? await noticesById(pool, organizationId, userId, ids) : [];
  const [first] = notices;
  if (to && first) {
    const path = notices.length === 1 ? notificationPath(first) : '/dashboard';
    const text = mailsEn.notices({
      organization: await organizationName(organizationId),
      sentences: notices.slice(0, SENTENCES_MAX).map(noticeSentence),
      more: Math.max(notices.length - SENTENCES_MAX, 0),
      url: `${settings.publicUrl}${path}`,
      settingsUrl: `${settings.publicUrl}/settings?tab=notifications`,
    });
    await mail.send({ id, organizationId, kind: 'notice', to, recipientId: userId, text });
  }
  await pool.query(
    'update operational.notice_mails set handed_over_at = now() where mail_id = $1',
    [id],
  );
}

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

/**
 * A notification that a member has neither read nor received by mail. Moments are in milliseconds.
 */
export type Unmailed = { readonly id: string; readonly at: number; readonly isCritical: boolean };

export type MailPlan<N> = {
  /** What goes into one mail now; empty where there is none to be sent. */
  readonly now: readonly N[];
  /** When the rest is looked at again; null where there is none. */
  readonly againAt: number | null;
};

export type NoticeTimes = {
  /** Unread for so long, a notice is mailed: until then it may still be read. */
  readonly restMs: number;
  /** From one mail to a person to the next, but for what is critical. */
  readonly betweenMs: number;
};

/**
 * One person's next mail. What is critical goes at once, and takes along what would have gone now;
 * everything else waits for its rest, and for the mail before to be long enough ago.
 */
export function planMail<N extends Unmailed>(
  notices: readonly N[],
  lastAt: number | null,
  { now, restMs, betweenMs }: NoticeTimes & { readonly now: number },
): MailPlan<N> {
  const isFree = lastAt === null || now - lastAt >= betweenMs;
  const goes = notices.filter(({ at, isCritical }) => isCritical || (isFree && now - at >= restMs));
  const rest = notices.filter((notice) => !goes.includes(notice));
  if (rest.length === 0) return { now: goes, againAt: null };
  const rested = Math.min(...rest.map(({ at }) => at)) + restMs;
  const before = goes.length > 0 ? now : lastAt;
  const again = Math.max(rested, before === null ? 0 : before + betweenMs);
  return { now: goes, againAt: again };
}
