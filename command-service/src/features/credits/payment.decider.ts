import {
  CheckoutOpened,
  DisputeClosed,
  PaymentDisputed,
  type PaymentEvent,
  PaymentFailed,
  PaymentRefunded,
  PaymentRequested,
  PaymentSucceeded,
  paymentEvents,
} from '@tallyhand/contracts/features/credits/payments.events';
import { PaymentAmountDiffers } from '@tallyhand/contracts/features/credits/payments.refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

export type RequestedPayment = Parameters<typeof PaymentRequested>[0];

/** Reports of the provider may be repeated, late, and in any order. */
export type PaymentCommand =
  | EventValue<'RequestPayment', RequestedPayment>
  | EventValue<'OpenCheckout', { readonly sessionId: string; readonly url: string | null }>
  | EventValue<'RecordSuccess', { readonly transactionId: string; readonly cents: number }>
  | EventValue<'RecordFailure', { readonly transactionId: string | null; readonly code: string }>
  | EventValue<'RecordRefund', { readonly refundedCents: number }>
  | EventValue<'RecordDispute', { readonly disputeId: string; readonly cents: number }>
  | EventValue<'CloseDispute', { readonly disputeId: string; readonly outcome: 'won' | 'lost' }>;

type Data<T extends PaymentCommand['type']> = Extract<PaymentCommand, { type: T }>['data'];

export type Payment = {
  requested: RequestedPayment | null;
  checkout: { readonly sessionId: string; readonly url: string | null } | null;
  transactionId: string | null;
  /** Codes and transactions of the attempts that failed, the newest last. */
  readonly failures: Map<string, { readonly code: string }>;
  refundedCents: number;
  readonly disputes: Map<string, 'open' | 'won' | 'lost'>;
};

export type PaymentStatus = 'pending' | 'succeeded' | 'failed' | 'refunded' | 'disputed';

const isDisputed = ({ disputes }: Payment) =>
  [...disputes.values()].some((outcome) => outcome !== 'won');

export const isPaid = ({ transactionId }: Payment) => transactionId !== null;

/** A dispute that is open or lost counts more than a refund, a success more than failed attempts. */
export function statusOf(payment: Payment): PaymentStatus {
  if (isDisputed(payment)) return 'disputed';
  if (payment.refundedCents > 0) return 'refunded';
  if (isPaid(payment)) return 'succeeded';
  return payment.failures.size > 0 ? 'failed' : 'pending';
}

/** The provider's code of the newest failed attempt. */
export const failureOf = ({ failures }: Payment) => [...failures.values()].at(-1)?.code ?? null;

export type CreditsDue = {
  readonly bought: number;
  /** How many of them are reversed. */
  readonly reversed: number;
  readonly cause: 'refund' | 'dispute';
};

/**
 * The credits that a payment is worth now. A refund reverses its share, rounded down to whole credits;
 * a dispute reverses all until it is won.
 */
export function creditsDue(payment: Payment): CreditsDue {
  const { requested, refundedCents } = payment;
  if (!requested || !isPaid(payment)) return { bought: 0, reversed: 0, cause: 'refund' };
  const { credits, cents } = requested;
  if (isDisputed(payment)) return { bought: credits, reversed: credits, cause: 'dispute' };
  const reversed = Math.floor((credits * refundedCents) / cents);
  return { bought: credits, reversed, cause: 'refund' };
}

type Own = Pick<RequestedPayment, 'paymentId' | 'organizationId'>;

const differs = ({ cents }: RequestedPayment, toldCents: number) =>
  PaymentAmountDiffers({ expectedCents: cents, toldCents });

const attemptKey = ({ transactionId, code }: Data<'RecordFailure'>) =>
  `${transactionId ?? ''} ${code}`;

function fail(own: Own, data: Data<'RecordFailure'>, payment: Payment) {
  // A failed attempt is irrelevant after a successful one.
  if (isPaid(payment) || payment.failures.has(attemptKey(data))) return [];
  return [PaymentFailed({ ...own, ...data })];
}

function refund(own: Own, { refundedCents }: Data<'RecordRefund'>, payment: Payment) {
  // Each report has the total of refunds, so a smaller one is older.
  if (refundedCents <= payment.refundedCents) return [];
  return [PaymentRefunded({ ...own, refundedCents })];
}

function closeDispute(own: Own, { disputeId, outcome }: Data<'CloseDispute'>, payment: Payment) {
  const known = payment.disputes.get(disputeId);
  // If two reports contradict each other, the dispute counts as lost, whichever came first.
  if (known === outcome || known === 'lost') return [];
  return [DisputeClosed({ ...own, disputeId, outcome })];
}

export type PaymentRefusal = RefusalOf<typeof NotFound | typeof PaymentAmountDiffers>;

function decide(
  command: PaymentCommand,
  payment: Payment,
): readonly PaymentEvent[] | PaymentRefusal {
  const { requested } = payment;
  if (command.type === 'RequestPayment') return requested ? [] : [PaymentRequested(command.data)];
  if (!requested) return NotFound({ what: 'payment' });
  const { paymentId, organizationId, cents } = requested;
  const own = { paymentId, organizationId };
  switch (command.type) {
    case 'OpenCheckout':
      return payment.checkout ? [] : [CheckoutOpened({ ...own, ...command.data })];
    case 'RecordSuccess':
      if (command.data.cents !== cents) return differs(requested, command.data.cents);
      return isPaid(payment) ? [] : [PaymentSucceeded({ ...own, ...command.data })];
    case 'RecordFailure':
      return fail(own, command.data, payment);
    case 'RecordRefund': {
      const { refundedCents } = command.data;
      const isPossible = Number.isInteger(refundedCents) && refundedCents >= 0;
      if (!isPossible || refundedCents > cents) return differs(requested, refundedCents);
      return refund(own, command.data, payment);
    }
    case 'RecordDispute':
      if (payment.disputes.has(command.data.disputeId)) return [];
      return [PaymentDisputed({ ...own, ...command.data })];
    case 'CloseDispute':
      return closeDispute(own, command.data, payment);
  }
}

function evolve(payment: Payment, event: PaymentEvent): Payment {
  switch (event.type) {
    case 'PaymentRequested':
      payment.requested = event.data;
      return payment;
    case 'CheckoutOpened':
      payment.checkout = { sessionId: event.data.sessionId, url: event.data.url };
      return payment;
    case 'PaymentSucceeded':
      payment.transactionId = event.data.transactionId;
      return payment;
    case 'PaymentFailed':
      payment.failures.set(attemptKey(event.data), { code: event.data.code });
      return payment;
    case 'PaymentRefunded':
      payment.refundedCents = event.data.refundedCents;
      return payment;
    case 'PaymentDisputed':
      payment.disputes.set(event.data.disputeId, 'open');
      return payment;
    case 'DisputeClosed':
      payment.disputes.set(event.data.disputeId, event.data.outcome);
      return payment;
  }
}

/** One payment: its request, and the reports of the provider. */
export const paymentDecider: Decider<Payment, PaymentCommand, PaymentEvent, PaymentRefusal> = {
  initialState: () => ({
    requested: null,
    checkout: null,
    transactionId: null,
    failures: new Map(),
    refundedCents: 0,
    disputes: new Map(),
  }),
  decide,
  evolve,
};

export const paymentStream: StreamPolicy<Payment, PaymentCommand, PaymentEvent, PaymentRefusal> = {
  category: 'payment',
  decider: paymentDecider,
  events: paymentEvents,
};
