import { notificationPath } from '@tallyhand/contracts/features/notifications/notification-path';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import {
  comparePositions,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import { recurring } from '../../kit/recurring.ts';
import { mailsEn } from '../../words/mails-en.ts';
import { noticeSentence } from '../../words/notices-en.ts';
import { type NoticeTimes, planMail } from './plan-mail.ts';
import { noticesById, unmailedNotices } from './unmailed-notices.ts';

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
export function mailNotices(
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
