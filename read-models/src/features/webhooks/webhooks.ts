import { DELIVERY_STATES } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { readOne, readPage } from '../../kernel/read.ts';

/** The command service stores webhooks and their deliveries; a URL may contain a secret. */
const WEBHOOK = `
  w.webhook_id as id, w.url, w.events, w.description,
    w.disabled_reason is null as "isActive", w.disabled_reason as "disabledReason",
    w.disabled_at as "disabledAt", w.failing_since as "failingSince", w.created_at as "createdAt"`;

export const readWebhooks = readPage('webhooks', {
  table: 'operational.organization_webhooks',
  as: 'w',
  at: 'created_at',
  id: 'webhook_id',
  select: WEBHOOK,
});

export const readWebhook = readOne(
  'webhook',
  { id: 'uuid' },
  `select ${WEBHOOK} from operational.organization_webhooks w
   where w.organization_id = me.organization_id and w.webhook_id = p_id`,
);

export const readDeliveries = readPage(
  'webhook_deliveries',
  {
    table: 'operational.organization_deliveries',
    as: 'd',
    at: 'created_at',
    id: 'delivery_id',
    pins: { webhook_id: 'p_webhook' },
    filters: { state: { column: 'state', values: DELIVERY_STATES } },
    select: `d.delivery_id as id, d.webhook_id as "webhookId", d.type, d.sequence, d.state,
     d.attempts, d.log, d.answer, d.created_at as "createdAt",
     case when d.state = 'waiting' then d.next_at end as "nextAt", d.ended_at as "endedAt"`,
  },
  { webhook: 'uuid', state: 'text' },
);
