import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

export const PAYMENT_PROVIDERS = ['stripe', 'test'] as const;

/** The outcome that the test provider simulates, as Stripe's test cards do. */
export const TEST_OUTCOMES = [
  'success',
  'declined',
  'insufficient-funds',
  'needs-authentication',
] as const;

const own = { paymentId: Id, organizationId: Id };
const Cents = z.int();

/** A member chose a package. Recorded before the provider is contacted. */
export const PaymentRequested = event('PaymentRequested', {
  ...own,
  packageId: z.string(),
  credits: z.int(),
  cents: Cents,
  currency: z.string(),
  provider: z.enum(PAYMENT_PROVIDERS),
  testOutcome: z.enum(TEST_OUTCOMES).optional(),
  requestedBy: Id,
});
/** The provider created a checkout page. */
export const CheckoutOpened = event('CheckoutOpened', {
  ...own,
  sessionId: z.string(),
  /** Null if the customer has nothing to do. */
  url: z.string().nullable(),
});
export const PaymentSucceeded = event('PaymentSucceeded', {
  ...own,
  /** The provider's id, as on its statements. */
  transactionId: z.string(),
  cents: Cents,
});
export const PaymentFailed = event('PaymentFailed', {
  ...own,
  transactionId: z.string().nullable(),
  /** The provider's code, such as `card_declined`. */
  code: z.string(),
});
/** `refundedCents`: the total refunded so far. */
export const PaymentRefunded = event('PaymentRefunded', { ...own, refundedCents: Cents });
export const PaymentDisputed = event('PaymentDisputed', {
  ...own,
  disputeId: z.string(),
  cents: Cents,
});
export const DisputeClosed = event('DisputeClosed', {
  ...own,
  disputeId: z.string(),
  outcome: z.enum(['won', 'lost']),
});

/** Every event of the stream, by type. */
export const paymentEvents = {
  PaymentRequested,
  CheckoutOpened,
  PaymentSucceeded,
  PaymentFailed,
  PaymentRefunded,
  PaymentDisputed,
  DisputeClosed,
};
export type PaymentEvent = EventsOf<typeof paymentEvents>;
