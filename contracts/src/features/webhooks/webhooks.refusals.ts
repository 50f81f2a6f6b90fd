import { refusal } from '../../kernel/refusal.ts';

export const TooManyWebhooks = refusal(
  'too-many-webhooks',
  409,
  'Too many webhooks',
  (p: { webhooksMax: number }) =>
    `An organization can have at most ${p.webhooksMax} webhooks. Delete one that you do not need.`,
);
export const WebhookIsDisabled = refusal(
  'webhook-disabled',
  409,
  'Webhook disabled',
  () => 'This webhook is disabled. Enable it to send events.',
);
