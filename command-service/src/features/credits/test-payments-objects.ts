/** A payment as the test provider keeps it. */
export type TestPayment = {
  readonly payment_id: string;
  readonly session_id: string;
  readonly transaction_id: string;
  readonly dispute_id: string;
  readonly cents: number;
  readonly currency: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'expired';
  /** The bank's reason, as `insufficient_funds`; null while nothing failed. */
  readonly decline_code: string | null;
  readonly refunded_cents: number;
  readonly dispute_status: 'needs_response' | 'won' | 'lost' | null;
};

const metadataOf = ({ payment_id: paymentId }: TestPayment) => ({ paymentId });

/** The objects of Stripe's API that a payment consists of, as far as they are read here. */
export const sessionOf = (payment: TestPayment) => ({
  id: payment.session_id,
  object: 'checkout.session',
  status: payment.status === 'succeeded' ? 'complete' : 'open',
  payment_status: payment.status === 'succeeded' ? 'paid' : 'unpaid',
  payment_intent: payment.transaction_id,
  amount_total: payment.cents,
  currency: payment.currency,
  metadata: metadataOf(payment),
});

export const intentOf = (payment: TestPayment) => ({
  id: payment.transaction_id,
  object: 'payment_intent',
  status: payment.status === 'succeeded' ? 'succeeded' : 'requires_payment_method',
  amount: payment.cents,
  amount_received: payment.status === 'succeeded' ? payment.cents : 0,
  currency: payment.currency,
  last_payment_error: payment.decline_code && errorOf(payment.decline_code),
  metadata: metadataOf(payment),
});

const errorOf = (code: string) =>
  code === 'payment_intent_authentication_failure'
    ? { code }
    : { code: 'card_declined', decline_code: code };

export const chargeOf = (payment: TestPayment) => ({
  id: `ch_${payment.transaction_id}`,
  object: 'charge',
  amount: payment.cents,
  amount_refunded: payment.refunded_cents,
  currency: payment.currency,
  payment_intent: payment.transaction_id,
  metadata: metadataOf(payment),
});

/** It carries no metadata: the payment is found by its transaction, as with Stripe. */
export const disputeOf = (payment: TestPayment) => ({
  id: payment.dispute_id,
  object: 'dispute',
  amount: payment.cents,
  currency: payment.currency,
  status: payment.dispute_status ?? 'needs_response',
  payment_intent: payment.transaction_id,
});
