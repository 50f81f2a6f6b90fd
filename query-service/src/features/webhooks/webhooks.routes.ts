import {
  listDeliveries,
  listWebhooks,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readDeliveries,
  readWebhook,
  readWebhooks,
} from '@tallyhand/read-models/features/webhooks/webhooks';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, pageOf, route } from '../../kernel/route.ts';

export function webhooksRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listWebhooks, { read: readWebhooks });
  route(app, context, listDeliveries, async (call) => {
    const { id } = call.params;
    const webhook = await call.read(readWebhook, { id });
    if (isRefusal(webhook) || webhook.body === null) return webhook;
    const state = call.query.state ?? null;
    return pageOf(call, pathOf(listDeliveries, call.params), (page) =>
      call.read(readDeliveries, { webhook: id, state, ...page }),
    );
  });
}
