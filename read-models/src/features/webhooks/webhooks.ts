import { readOne, readPage } from '../../kernel/read-model.ts';

/** The command service keeps webhooks and their deliveries; an address may hold a secret. */
const WEBHOOK = `
  select w.webhook_id as id, w.url, w.events, w.description,
    w.disabled_reason is null as "isActive", w.disabled_reason as "disabledReason",
    w.disabled_at as "disabledAt", w.failing_since as "failingSince", w.created_at as "createdAt"
  from operational.organization_webhooks w where w.organization_id = me.organization_id`;

export const readWebhooks = readPage('webhooks', WEBHOOK);

export const readWebhook = readOne('webhook', { id: 'uuid' }, `${WEBHOOK} and w.webhook_id = p_id`);

export const readDeliveries = readPage(
  'webhook_deliveries',
  `select d.delivery_id as id, d.webhook_id as "webhookId", d.type, d.sequence, d.state,
     d.attempts, d.log, d.answer, d.created_at as "createdAt",
     case when d.state = 'waiting' then d.next_at end as "nextAt", d.ended_at as "endedAt"
   from operational.organization_deliveries d
   where d.organization_id = me.organization_id and d.webhook_id = p_webhook
     and (p_state is null or d.state = p_state)`,
  { webhook: 'uuid', state: 'text' },
);
