import {
  WEBHOOKS_MAX,
  type WebhookEndpoint,
  type WebhookSecret,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { TooManyWebhooks } from '@tallyhand/contracts/features/webhooks/webhooks.refusals';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { resendOf } from './resend.ts';
import { newWebhookSecret } from './signature.ts';
import { findWebhook, sealSecret, type WebhookRow, webhookOf } from './webhook-rows.ts';
import { type Own, webhookSwitch } from './webhook-switch.ts';

/** How long deliveries are signed with the secret of before too. */
const OLD_SECRET_HOURS = 24;

type Settings = Pick<WebhookEndpoint, 'url' | 'events' | 'description'>;
type Change = { readonly [K in keyof Settings | 'isActive']?: WebhookEndpoint[K] | undefined };

/** What of an address is told: paths and queries often hold a secret. */
const shown = ({ url, events, description }: Settings) => ({
  origin: new URL(url).origin,
  events,
  description,
});

export type Webhooks = ReturnType<typeof webhooksOf>;

export function webhooksOf(kit: Kit) {
  const changes = webhookSwitch(kit);
  const parts = { kit, ...changes };
  return {
    ...resendOf(kit),
    disable: changes.disable,
    ...creationOf(parts),
    ...changesOf(parts),
  };
}

type Parts = { readonly kit: Kit } & ReturnType<typeof webhookSwitch>;

function creationOf({ kit: { pool, box }, tell }: Parts) {
  return {
    async create(context: CommandContext, organizationId: string, settings: Settings) {
      const id = idFor(context, 'webhook');
      if (await isFull(pool, organizationId, id))
        return TooManyWebhooks({ webhooksMax: WEBHOOKS_MAX });
      const data = { webhookId: id, organizationId, ...shown(settings) };
      const refused = await tell(context, id, { type: 'CreateWebhook', data });
      if (refused) return refused;
      const secret = newWebhookSecret();
      const { url, events, description } = settings;
      // A repeat of an unanswered call creates another secret: the first was never returned.
      const { rows } = await pool.query<WebhookRow>(
        `insert into operational.webhooks
           (webhook_id, organization_id, url, events, description, created_at, secret)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (webhook_id) do update set secret = excluded.secret returning *`,
        [id, organizationId, url, events, description, context.now, sealSecret(box, id, secret)],
      );
      return { ...webhookOf(rows[0] as WebhookRow), secret };
    },
  };
}

function changesOf({ kit: { pool, box }, tell, disable, enable }: Parts) {
  return {
    async change(
      context: CommandContext,
      own: Own,
      change: Change,
    ): Promise<WebhookEndpoint | Refusal> {
      const found = await findWebhook(pool, own);
      if (isRefusal(found)) return found;
      const settings = {
        url: change.url ?? found.url,
        events: change.events ?? found.events,
        description: change.description ?? found.description,
      };
      const { organizationId, id } = own;
      const isMoved = settings.url !== found.url;
      const data = { organizationId, ...shown(settings), isMoved };
      const refused = await tell(context, id, { type: 'ChangeWebhook', data });
      if (refused) return refused;
      await keepSettings(pool, own, settings);
      if (change.isActive === true) await enable(context, own);
      if (change.isActive === false) await disable(context, own, 'by-person');
      const changed = await findWebhook(pool, own);
      return isRefusal(changed) ? changed : webhookOf(changed);
    },
    async remove(context: CommandContext, { organizationId, id }: Own): Promise<Refusal | null> {
      const refused = await tell(context, id, { type: 'DeleteWebhook', data: { organizationId } });
      if (refused) return refused;
      await pool.query('delete from operational.webhooks where webhook_id = $1', [id]);
      return null;
    },
    async rotateSecret(context: CommandContext, own: Own): Promise<WebhookSecret | Refusal> {
      const { organizationId, id } = own;
      const found = await findWebhook(pool, own);
      if (isRefusal(found)) return found;
      const secret = newWebhookSecret();
      await pool.query(
        `update operational.webhooks set old_secret = secret, secret = $2,
           old_secret_until = now() + make_interval(hours => $3)
         where webhook_id = $1`,
        [id, sealSecret(box, id, secret), OLD_SECRET_HOURS],
      );
      const refused = await tell(context, id, { type: 'RotateSecret', data: { organizationId } });
      return refused ?? { id, secret };
    },
  };
}

async function isFull(pool: pg.Pool, organizationId: string, id: string) {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from operational.webhooks
     where organization_id = $1 and webhook_id <> $2`,
    [organizationId, id],
  );
  return (rows[0]?.count ?? 0) >= WEBHOOKS_MAX;
}

async function keepSettings(pool: pg.Pool, { id }: Own, { url, events, description }: Settings) {
  await pool.query(
    `update operational.webhooks set url = $2, events = $3, description = $4
     where webhook_id = $1`,
    [id, url, events, description],
  );
}
