import { refusal } from '../../kernel/refusal.ts';

export const TooManyWebhooks = refusal(
  'too-many-webhooks',
  409,
  'Too many webhooks',
  (p: { webhooksMax: number }) =>
    `An organization has at most ${p.webhooksMax} webhooks. Delete one that is not needed.`,
);
export const WebhookIsDisabled = refusal(
  'webhook-disabled',
  409,
  'Webhook disabled',
  () => 'This webhook is disabled, so nothing is sent to it. Enable it first.',
);
