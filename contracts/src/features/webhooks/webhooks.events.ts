import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/**
 * On `webhook-{id}`. Paths and queries of addresses often contain a secret, so an event has only
 * scheme, host and port. `events`: types, or `*` alone for all.
 */
export const WebhookCreated = event('WebhookCreated', {
  webhookId: Id,
  organizationId: Id,
  origin: z.string(),
  events: z.array(z.string()),
  description: z.string(),
});
export const WebhookChanged = event('WebhookChanged', {
  webhookId: Id,
  organizationId: Id,
  origin: z.string(),
  events: z.array(z.string()),
  description: z.string(),
});
export const WebhookSecretRotated = event('WebhookSecretRotated', {
  webhookId: Id,
  organizationId: Id,
});
/** Later events are not delivered. `gone`: it answered 410; `failing`: it failed for too long. */
export const WebhookDisabled = event('WebhookDisabled', {
  webhookId: Id,
  organizationId: Id,
  reason: z.enum(['by-person', 'gone', 'failing']),
});
/** Later events are delivered. */
export const WebhookEnabled = event('WebhookEnabled', { webhookId: Id, organizationId: Id });
export const WebhookDeleted = event('WebhookDeleted', { webhookId: Id, organizationId: Id });

/** Every event of the stream, by type. */
export const webhookEvents = {
  WebhookCreated,
  WebhookChanged,
  WebhookSecretRotated,
  WebhookDisabled,
  WebhookEnabled,
  WebhookDeleted,
};
export type WebhookEvent = EventsOf<typeof webhookEvents>;
