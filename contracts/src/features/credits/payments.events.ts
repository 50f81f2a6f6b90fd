import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

export const PAYMENT_PROVIDERS = ['stripe', 'test'] as const;

/** What the test provider is asked to answer: the outcomes of Stripe's test cards. */
export const TEST_OUTCOMES = [
  'success',
  'declined',
  'insufficient-funds',
  'needs-authentication',
] as const;

const own = { paymentId: Id, organizationId: Id };
const Cents = z.int();

/** Somebody chose a package. Recorded before the provider hears of it. */
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
/** The provider has a page where the person pays. */
export const CheckoutOpened = event('CheckoutOpened', {
  ...own,
  sessionId: z.string(),
  /** Null where there is nothing for the person to do. */
  url: z.string().nullable(),
});
export const PaymentSucceeded = event('PaymentSucceeded', {
  ...own,
  /** The provider's own id, as it stands on its statements. */
  transactionId: z.string(),
  cents: Cents,
});
export const PaymentFailed = event('PaymentFailed', {
  ...own,
  transactionId: z.string().nullable(),
  /** The provider's code, as `card_declined`. */
  code: z.string(),
});
/** `refundedCents`: all that was given back of this payment until now. */
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
