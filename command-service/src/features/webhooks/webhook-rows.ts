import type {
  WebhookDelivery,
  WebhookEndpoint,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type pg from 'pg';

export type WebhookRow = {
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly url: string;
  readonly events: string[];
  readonly description: string;
  readonly created_at: Date;
  readonly disabled_reason: WebhookEndpoint['disabledReason'];
  readonly disabled_at: Date | null;
  readonly failing_since: Date | null;
};

export type DeliveryRow = {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly type: string;
  readonly sequence: string | null;
  readonly state: WebhookDelivery['state'];
  readonly attempts: number;
  readonly tries: number;
  readonly log: WebhookDelivery['log'];
  readonly answer: string | null;
  readonly created_at: Date;
  readonly next_at: Date;
  readonly ended_at: Date | null;
};

export const webhookOf = (row: WebhookRow): WebhookEndpoint => ({
  id: row.webhook_id,
  url: row.url,
  events: row.events,
  description: row.description,
  isActive: row.disabled_reason === null,
  disabledReason: row.disabled_reason,
  disabledAt: row.disabled_at?.toISOString() ?? null,
  failingSince: row.failing_since?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
});

export const deliveryOf = (row: DeliveryRow): WebhookDelivery => ({
  id: row.delivery_id,
  webhookId: row.webhook_id,
  type: row.type,
  state: row.state,
  sequence: row.sequence === null ? null : Number(row.sequence),
  attempts: row.attempts,
  log: row.log,
  answer: row.answer,
  createdAt: row.created_at.toISOString(),
  nextAt: row.state === 'waiting' ? row.next_at.toISOString() : null,
  endedAt: row.ended_at?.toISOString() ?? null,
});

const contextOf = (webhookId: string) => `webhook-secret ${webhookId}`;

export const sealSecret = (box: SealedBox, webhookId: string, secret: string): Buffer =>
  box.seal(Buffer.from(secret), contextOf(webhookId));

export const openSecret = (box: SealedBox, webhookId: string, sealed: Buffer): string =>
  box.open(sealed, contextOf(webhookId)).toString();

export async function findWebhook(
  pool: pg.Pool,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<WebhookRow | Refusal> {
  const { rows } = await pool.query<WebhookRow>(
    'select * from operational.webhooks where webhook_id = $1 and organization_id = $2',
    [id, organizationId],
  );
  return rows[0] ?? NotFound({ what: 'webhook' });
}
