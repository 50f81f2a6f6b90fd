import {
  WebhookChanged,
  WebhookCreated,
  WebhookDeleted,
  WebhookDisabled,
  WebhookEnabled,
  type WebhookEvent,
  WebhookSecretRotated,
  webhookEvents,
} from '@tallyhand/contracts/features/webhooks/webhooks.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type Own = { readonly organizationId: string };
type Settings = Pick<Parameters<typeof WebhookCreated>[0], 'origin' | 'events' | 'description'>;

export type WebhookCommand =
  | EventValue<'CreateWebhook', Parameters<typeof WebhookCreated>[0]>
  /** `isMoved`: the URL changed, even if its origin did not. */
  | EventValue<'ChangeWebhook', Own & Settings & { readonly isMoved: boolean }>
  | EventValue<'RotateSecret', Own>
  | EventValue<
      'DisableWebhook',
      Own & { readonly reason: Parameters<typeof WebhookDisabled>[0]['reason'] }
    >
  | EventValue<'EnableWebhook', Own>
  | EventValue<'DeleteWebhook', Own>;

type Webhook = {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly settings: Settings;
  /** How often it was created or enabled. */
  readonly beginnings: number;
  readonly isDisabled: boolean;
  readonly isDeleted: boolean;
} | null;

const same = (a: Settings, b: Settings) => canonicalJson(a) === canonicalJson(b);

export const webhookDecider: Decider<
  Webhook,
  WebhookCommand,
  WebhookEvent,
  RefusalOf<typeof NotFound>
> = {
  initialState: () => null,
  decide({ type, data }, webhook) {
    if (type === 'CreateWebhook') return webhook ? [] : [WebhookCreated(data)];
    if (webhook?.organizationId !== data.organizationId) return NotFound({ what: 'webhook' });
    const own = { webhookId: webhook.webhookId, organizationId: webhook.organizationId };
    if (type === 'DeleteWebhook') return webhook.isDeleted ? [] : [WebhookDeleted(own)];
    if (webhook.isDeleted) return NotFound({ what: 'webhook' });
    switch (type) {
      case 'ChangeWebhook': {
        const { origin, events, description, isMoved } = data;
        const settings = { origin, events, description };
        if (!isMoved && same(settings, webhook.settings)) return [];
        return [WebhookChanged({ ...own, ...settings })];
      }
      case 'RotateSecret':
        return [WebhookSecretRotated(own)];
      case 'DisableWebhook':
        return webhook.isDisabled ? [] : [WebhookDisabled({ ...own, reason: data.reason })];
      case 'EnableWebhook':
        return webhook.isDisabled ? [WebhookEnabled(own)] : [];
    }
  },
  evolve(webhook, event) {
    if (event.type === 'WebhookCreated') {
      const { webhookId, organizationId, ...settings } = event.data;
      const open = { beginnings: 1, isDisabled: false, isDeleted: false };
      return { webhookId, organizationId, settings, ...open };
    }
    if (!webhook) return null;
    switch (event.type) {
      case 'WebhookChanged': {
        const { webhookId: _, organizationId: __, ...settings } = event.data;
        return { ...webhook, settings };
      }
      case 'WebhookSecretRotated':
        return webhook;
      case 'WebhookDisabled':
        return { ...webhook, isDisabled: true };
      case 'WebhookEnabled':
        return { ...webhook, isDisabled: false, beginnings: webhook.beginnings + 1 };
      case 'WebhookDeleted':
        return { ...webhook, isDeleted: true };
    }
  },
};

export const webhookStream: StreamPolicy<
  Webhook,
  WebhookCommand,
  WebhookEvent,
  RefusalOf<typeof NotFound>
> = {
  category: 'webhook',
  decider: webhookDecider,
  events: webhookEvents,
  refusedOnceDone: ['DeleteWebhook'],
};
