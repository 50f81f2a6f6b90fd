import { ChatLimitReached } from '@tallyhand/contracts/features/chat/chat.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Caller, Kit } from '../../kit/app.ts';

/** For each member: chat costs no credits. */
const MINUTE_MAX = 30;
const DAY_MAX = 500;

const COUNT = `
  insert into operational.chat_limits as kept (user_id, organization_id, sent_at)
  values ($1, $2, array[now()])
  on conflict (user_id) do update
  set updated_at = now(), sent_at = array(
    select t from unnest(kept.sent_at || now()) t where t > now() - interval '1 day' order by t)
  where $3 > (select count(*) from unnest(kept.sent_at) t where t > now() - interval '1 minute')
    and $4 > (select count(*) from unnest(kept.sent_at) t where t > now() - interval '1 day')`;

/** When the member's nth last message leaves the minute, or the day, that it is counted in. */
const FREE_AGAIN = `
  select per, at from (
    select 'minute' as per, (
      select t from unnest(sent_at) t order by t desc offset $2 limit 1) + interval '1 minute' as at
    from operational.chat_limits where user_id = $1
    union all
    select 'day', (
      select t from unnest(sent_at) t order by t desc offset $3 limit 1) + interval '1 day'
    from operational.chat_limits where user_id = $1) limits
  where at > now() order by at desc limit 1`;

/** Counts what each member says in all processes together, in any minute and any day. */
export function chatLimitsOf({ pool, settings }: Kit) {
  const minuteMax = Math.ceil(MINUTE_MAX * settings.rateLimitScale);
  const dayMax = Math.ceil(DAY_MAX * settings.rateLimitScale);

  /** Counts one more message, or refuses it; one that is refused is not counted. */
  return async ({ userId, organizationId }: Caller): Promise<Refusal | null> => {
    // The row is locked while it changes, so that many at once are no more than many in a row.
    const counted = await pool.query(COUNT, [userId, organizationId, minuteMax, dayMax]);
    if (counted.rowCount === 1) return null;
    const { rows } = await pool.query<{ per: 'minute' | 'day'; at: Date }>(FREE_AGAIN, [
      userId,
      minuteMax - 1,
      dayMax - 1,
    ]);
    const { per, at } = rows[0] ?? { per: 'minute', at: new Date() };
    return ChatLimitReached({
      messagesMax: per === 'minute' ? minuteMax : dayMax,
      per,
      retryAfterSeconds: Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1_000)),
      retryAt: at.toISOString(),
    });
  };
}
