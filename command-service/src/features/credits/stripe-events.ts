import { CURRENCY } from '@tallyhand/contracts/features/credits/credits.prices';
import { Id } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import type { PaymentFact } from './payment-gateway.ts';

/** An event with a valid signature. `object` is not validated yet. */
export type StripeEvent = { readonly type: string; readonly object: unknown };

/** Finds the payment by the provider's transaction; null if it is unknown. */
export type ResolvePayment = (transactionId: string) => Promise<string | null>;

const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .pipe(z.string().regex(/^\w{1,255}$/));
const Cents = z.int().nonnegative();
const Ours = z.object({ paymentId: Id });
/** Payments in another currency were not requested by this server. */
const OurCurrency = z.string().toLowerCase().pipe(z.literal(CURRENCY));

const Session = z.object({
  payment_intent: Reference.nullish(),
  metadata: Ours,
});
const PaidSession = z.object({
  payment_status: z.literal('paid'),
  payment_intent: Reference,
  amount_total: Cents,
  currency: OurCurrency,
  metadata: Ours,
});
const PaidIntent = z.object({
  id: Reference,
  amount_received: Cents,
  currency: OurCurrency,
  metadata: Ours,
});
const Code = z.string().regex(/^\w{1,100}$/);
const FailedIntent = z.object({
  id: Reference,
  metadata: Ours,
  last_payment_error: z
    .object({ code: Code.nullish().catch(null), decline_code: Code.nullish().catch(null) })
    .nullish()
    .catch(null),
});
const Charge = z.object({
  amount_refunded: Cents,
  currency: OurCurrency,
  payment_intent: Reference.nullish(),
  metadata: Ours.nullish().catch(null),
});
const Dispute = z.object({
  id: Reference,
  amount: Cents,
  status: z.string(),
  payment_intent: Reference,
  payment_method_details: z
    .object({ card: z.object({ case_type: z.string() }) })
    .nullish()
    .catch(null),
});
type Dispute = z.infer<typeof Dispute>;

/**
 * An event's reports about payments; none if it concerns something else, or if relevant parts do
 * not have the published shape.
 */
export async function factsOf(event: StripeEvent, resolve: ResolvePayment): Promise<PaymentFact[]> {
  const { object } = event;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paidSession(object);
    case 'checkout.session.async_payment_failed':
      return endedSession(object, 'async_payment_failed');
    case 'checkout.session.expired':
      return endedSession(object, 'expired');
    case 'payment_intent.succeeded':
      return paidIntent(object);
    case 'payment_intent.payment_failed':
      return failedIntent(object);
    case 'charge.refunded':
      return refundedCharge(object, resolve);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_reinstated':
      return dispute(object, resolve);
    default:
      return [];
  }
}

/** The facts of an object; none if it has another shape. */
function read<T>(shape: z.ZodType<T>, object: unknown, tell: (value: T) => PaymentFact) {
  const parsed = shape.safeParse(object);
  return parsed.success ? [tell(parsed.data)] : [];
}

/** A completed session that is not `paid` waits for the bank; a later event reports the result. */
export const paidSession = (object: unknown) =>
  read(PaidSession, object, (session) => ({
    paymentId: session.metadata.paymentId,
    kind: 'succeeded',
    transactionId: session.payment_intent,
    cents: session.amount_total,
  }));

export const endedSession = (object: unknown, code: string) =>
  read(Session, object, (session) => ({
    paymentId: session.metadata.paymentId,
    kind: 'failed',
    transactionId: session.payment_intent ?? null,
    code,
  }));

const paidIntent = (object: unknown) =>
  read(PaidIntent, object, (intent) => ({
    paymentId: intent.metadata.paymentId,
    kind: 'succeeded',
    transactionId: intent.id,
    cents: intent.amount_received,
  }));

export const failedIntent = (object: unknown) =>
  read(FailedIntent, object, ({ id, metadata, last_payment_error: error }) => {
    // The bank's reason is more specific than the code, if it gives one.
    const reason = error?.decline_code === 'generic_decline' ? null : error?.decline_code;
    const code = reason ?? error?.code ?? 'payment_failed';
    return { paymentId: metadata.paymentId, kind: 'failed', transactionId: id, code };
  });

export async function refundedCharge(
  object: unknown,
  resolve: ResolvePayment,
): Promise<PaymentFact[]> {
  const parsed = Charge.safeParse(object);
  if (!parsed.success) return [];
  const { metadata, payment_intent: transactionId, amount_refunded: refundedCents } = parsed.data;
  const paymentId = metadata?.paymentId ?? (transactionId ? await resolve(transactionId) : null);
  return paymentId ? [{ paymentId, kind: 'refunded', refundedCents }] : [];
}

/** A dispute carries no metadata: the payment is found by its transaction. */
async function dispute(object: unknown, resolve: ResolvePayment): Promise<PaymentFact[]> {
  const parsed = Dispute.safeParse(object);
  if (!parsed.success) return [];
  const paymentId = await resolve(parsed.data.payment_intent);
  return paymentId ? [disputeFact(parsed.data, paymentId)] : [];
}

export function disputeFacts(object: unknown, paymentId: string): PaymentFact[] {
  return read(Dispute, object, (parsed) => disputeFact(parsed, paymentId));
}

function disputeFact(dispute: Dispute, paymentId: string): PaymentFact {
  const { id: disputeId, amount: cents } = dispute;
  const outcome = outcomeOf(dispute);
  return outcome
    ? { paymentId, kind: 'dispute-closed', disputeId, outcome }
    : { paymentId, kind: 'disputed', disputeId, cents };
}

function outcomeOf({ status, payment_method_details: details }: Dispute): 'won' | 'lost' | null {
  switch (status) {
    case 'won':
    // The bank only asked, and took nothing.
    case 'warning_closed':
      return 'won';
    case 'lost':
      return 'lost';
    case 'prevented':
      // The dispute was prevented, or the money was refunded without one.
      return details?.card.case_type === 'block' ? 'won' : 'lost';
    default:
      return null;
  }
}
