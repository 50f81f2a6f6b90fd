import {
  PING,
  type WebhookDelivery,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { WebhookIsDisabled } from '@tallyhand/contracts/features/webhooks/webhooks.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { type DeliveryRow, deliveryOf, findWebhook } from './webhook-rows.ts';
import type { Own } from './webhook-switch.ts';

/** Notifies the senders of new deliveries. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries';

/** Deliveries that a person asks for. */
export function resendOf({ pool }: Pick<Kit, 'pool'>) {
  return {
    /** Sends a test. */
    async ping(context: CommandContext, own: Own): Promise<WebhookDelivery | Refusal> {
      const found = await findWebhook(pool, own);
      if (isRefusal(found)) return found;
      if (found.disabled_reason !== null) return WebhookIsDisabled({});
      const { rows } = await pool.query<DeliveryRow>(
        `with made as (
           insert into operational.webhook_deliveries
             (delivery_id, webhook_id, organization_id, type)
           values ($1, $2, $3, $4)
           on conflict (delivery_id) do update set type = excluded.type returning *)
         select made.*, pg_notify($5, '') from made`,
        [idFor(context, 'ping'), own.id, own.organizationId, PING, DELIVERIES_CHANNEL],
      );
      return deliveryOf(rows[0] as DeliveryRow);
    },
    /** Sends a delivery again; what is on its way already is let be. `id`: the delivery's. */
    async redeliver({ organizationId, id }: Own): Promise<WebhookDelivery | Refusal> {
      const { rows } = await pool.query<DeliveryRow & { readonly is_disabled: boolean }>(
        `select d.*, w.disabled_reason is not null as is_disabled
         from operational.webhook_deliveries d join operational.webhooks w using (webhook_id)
         where d.delivery_id = $1 and d.organization_id = $2`,
        [id, organizationId],
      );
      const found = rows[0];
      if (!found) return NotFound({ what: 'delivery' });
      if (found.is_disabled) return WebhookIsDisabled({});
      const { rows: again } = await pool.query<DeliveryRow>(
        `with again as (
           update operational.webhook_deliveries
           set state = 'waiting', tries = 0, next_at = now(), ended_at = null
           where delivery_id = $1 and state <> 'sending' returning *)
         select again.*, pg_notify($2, '') from again`,
        [id, DELIVERIES_CHANNEL],
      );
      return deliveryOf(again[0] ?? found);
    },
  };
}
