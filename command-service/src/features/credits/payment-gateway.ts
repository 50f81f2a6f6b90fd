import type {
  PAYMENT_PROVIDERS,
  TEST_OUTCOMES,
} from '@tallyhand/contracts/features/credits/payments.events';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** A provider's report about a payment. It may arrive twice, late, and in any order. */
export type PaymentFact = { readonly paymentId: string } & (
  | { readonly kind: 'succeeded'; readonly transactionId: string; readonly cents: number }
  | { readonly kind: 'failed'; readonly transactionId: string | null; readonly code: string }
  /** The total of refunds so far. */
  | { readonly kind: 'refunded'; readonly refundedCents: number }
  | { readonly kind: 'disputed'; readonly disputeId: string; readonly cents: number }
  | {
      readonly kind: 'dispute-closed';
      readonly disputeId: string;
      readonly outcome: 'won' | 'lost';
    }
);

export type Order = {
  readonly paymentId: string;
  readonly organizationId: string;
  readonly packageName: string;
  readonly credits: number;
  readonly cents: number;
  readonly currency: string;
  readonly testOutcome?: (typeof TEST_OUTCOMES)[number];
  /** Where the customer returns to; the query contains the payment's id. */
  readonly successUrl: string;
  readonly cancelUrl: string;
};

export type Checkout = {
  readonly sessionId: string;
  /** Where the customer pays; null if there is nothing to do. */
  readonly url: string | null;
};

/** The provider gave no usable answer. The call can be retried later. */
export class ProviderFault extends Error {}

/** A payment as its provider knows it. */
export type ProviderPayment = { readonly paymentId: string; readonly sessionId: string };

/** A payment provider. All calls may be repeated; they throw a ProviderFault when it is down. */
export type PaymentGateway = {
  readonly provider: (typeof PAYMENT_PROVIDERS)[number];
  /** Opens the provider's page for an order: the same one again for the same payment. */
  open(order: Order): Promise<Checkout>;
  /** The current facts about a payment; none while it is pending. */
  lookUp(payment: ProviderPayment): Promise<readonly PaymentFact[]>;
  /**
   * The reports of a signed webhook; none if it concerns something else. Refused if the signature
   * is missing, wrong, or older than five minutes.
   */
  read(body: Buffer, signature: string | undefined): Promise<readonly PaymentFact[] | Refusal>;
};
