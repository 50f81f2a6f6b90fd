import { TokenBudgetExceeded } from '@tallyhand/contracts/features/chat/chat.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type { Kit } from '../../kit/app.ts';

/** The month is that of UTC, as in what `GET /api/chat-budget` answers. */
const STANDING = `select o.chat_tokens as limit,
    (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc' as "resetsAt",
    coalesce((select sum(u.input_tokens + u.output_tokens) from read_model.model_usage_daily u
      where u.organization_id = o.organization_id and u.kind in ('chat', 'embedding')
        and u.day >= date_trunc('month', now() at time zone 'utc')::date), 0)::bigint as used
  from read_model.organizations o where o.organization_id = $1 and o.chat_tokens is not null`;

type Standing = { readonly limit: string; readonly used: string; readonly resetsAt: Date };

/**
 * Refuses a message, or texts to embed, once the tokens of the month are used up. What has begun is
 * completed, so that some more may be used than the budget has.
 */
export async function overBudget({ pool }: Kit, organizationId: string): Promise<Refusal | null> {
  const { rows } = await inTenant(pool, organizationId, (client) =>
    client.query<Standing>(STANDING, [organizationId]),
  );
  const [standing] = rows;
  if (!standing) return null;
  const [limit, used] = [Number(standing.limit), Number(standing.used)];
  if (used < limit) return null;
  return TokenBudgetExceeded({ limit, used, resetsAt: standing.resetsAt.toISOString() });
}
