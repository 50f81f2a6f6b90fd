import { addressesOf, readUrl } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { route } from '../../kit/route.ts';
import type { Webhooks } from './webhooks.ts';

/** Tests and repeated deliveries send requests to foreign servers. */
const SENDING_LIMIT = { max: 60, timeWindow: '1 minute' };
const LOOKUP_MS_MAX = 3_000;

export type WebhooksContext = { readonly kit: Kit; readonly webhooks: Webhooks };

export function webhooksRoutes(app: FastifyInstance, { kit, webhooks }: WebhooksContext) {
  const policy = outboundPolicyOf(kit.settings);
  const sending = { limit: SENDING_LIMIT };

  /** An early check of the URL. The guard checks again at each attempt. */
  async function refusalOf(url: string): Promise<Refusal | null> {
    try {
      await addressesOf(readUrl(url), policy, AbortSignal.timeout(LOOKUP_MS_MAX));
      return null;
    } catch (error) {
      // A name that can't be resolved now may be resolved later.
      if (!(error instanceof OutboundRefused)) return null;
      const { message } = error;
      return ValidationFailed({ summary: `url: ${message}` }, [{ path: 'url', message }]);
    }
  }

  route(app, kit, createWebhook, async ({ caller, context, body }) => {
    const refused = await refusalOf(body.url);
    return refused ?? webhooks.create(context, caller.organizationId, body);
  });
  route(app, kit, changeWebhook, async ({ caller, context, params, body }) => {
    const refused = body.url === undefined ? null : await refusalOf(body.url);
    const own = { organizationId: caller.organizationId, id: params.id };
    return refused ?? webhooks.change(context, own, body);
  });
  route(app, kit, deleteWebhook, async ({ caller, context, params }) => {
    const own = { organizationId: caller.organizationId, id: params.id };
    return (await webhooks.remove(context, own)) ?? undefined;
  });
  route(app, kit, rotateWebhookSecret, ({ caller, context, params }) =>
    webhooks.rotateSecret(context, { organizationId: caller.organizationId, id: params.id }),
  );
  route(app, kit, testWebhook, sending, ({ caller, context, params }) =>
    webhooks.ping(context, { organizationId: caller.organizationId, id: params.id }),
  );
  const again = { ...sending, what: 'delivery' };
  route(app, kit, redeliverWebhook, again, ({ caller, params }) =>
    webhooks.redeliver({ organizationId: caller.organizationId, id: params.id }),
  );
}
