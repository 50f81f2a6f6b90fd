import { refusal } from '../../kernel/refusal.ts';

export const NoSuchPackage = refusal(
  'no-such-package',
  422,
  'No such package',
  () => 'This package is no longer available. Reload the page and choose another one.',
);
export const PaymentPending = refusal(
  'payment-pending',
  409,
  'Payment pending',
  () => "The payment isn't completed yet. Credits are added as soon as it is.",
);
export const PaymentDeclined = refusal(
  'payment-failed',
  402,
  'Payment failed',
  (p: { reason: string }) => `Payment failed (${p.reason}). No credits were added.`,
);
export const CreditsNotBought = refusal(
  'credits-not-bought',
  422,
  'Credits do not match',
  () => 'This payment is for a different number of credits.',
  [{ path: 'credits', message: 'This payment is for a different number of credits' }],
);
export const WebhookNotSigned = refusal(
  'webhook-not-signed',
  400,
  'Invalid signature',
  () => 'The signature of the webhook is missing, wrong or too old.',
);
export const ProviderUnavailable = refusal(
  'payment-provider-unavailable',
  503,
  'Payment provider unavailable',
  () => "The payment provider isn't responding. You haven't been charged. Try again in a minute.",
);
export const NotATestPayment = refusal(
  'not-a-test-payment',
  409,
  'Not possible now',
  () => "The test provider can't do this in the payment's current state.",
);
export const NoReceipt = refusal(
  'no-receipt',
  409,
  'No receipt',
  () => 'Receipts are only available for successful payments.',
);
/** Never returned to a caller: the report is recorded and has no effect. */
export const PaymentAmountDiffers = refusal(
  'payment-amount-differs',
  409,
  'Amount does not match',
  (p: { expectedCents: number; toldCents: number }) =>
    `The provider reports ${p.toldCents} cents, but ${p.expectedCents} were requested.`,
);
