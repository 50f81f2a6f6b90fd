import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import {
  type Checkout,
  chargeOf,
  disputeOf,
  eventOf,
  intentOf,
  type PeerEvent,
  sessionOf,
} from './objects.ts';
import type { Asked } from './parameters.ts';
import { invalid, missing } from './shapes.ts';

export type Decline = { readonly code: string; readonly declineCode?: string };

/** An account at Stripe: its checkouts, the actions of buyers and banks, and the reported events. */
export type Account = ReturnType<typeof stripeAccount>;

const newId = (prefix: string, bytes = 12) => `${prefix}_${randomBytes(bytes).toString('hex')}`;
const nowS = () => Math.floor(Date.now() / 1_000);

export function stripeAccount(pageBase: () => string) {
  const checkouts = new Map<string, Checkout>();
  const events: PeerEvent[] = [];
  const told = (type: Stripe.Event['type'], object: unknown) => {
    events.push(eventOf(newId('evt'), type, object, nowS()));
  };
  return {
    /** All events so far, oldest first, each with its object as it was then. */
    events: events as readonly PeerEvent[],
    ...readsOf(checkouts),
    create(asked: Asked): Stripe.Checkout.Session {
      const id = newId('cs_test', 28);
      const session = sessionOf(id, asked, nowS(), `${pageBase()}/c/pay/${id}`);
      checkouts.set(id, { asked, session, intent: null, charge: null, disputes: [] });
      return session;
    },
    ...buyersOf(checkouts, told),
    ...banksOf(checkouts, told),
  };
}

type Checkouts = Map<string, Checkout>;
type Told = (type: Stripe.Event['type'], object: unknown) => void;

function checkoutOf(checkouts: Checkouts, sessionId: string): Checkout {
  const checkout = checkouts.get(sessionId);
  if (!checkout) throw missing('checkout.session', sessionId, 'session');
  return checkout;
}

const SESSION_EXPANDS = ['payment_intent', 'payment_intent.latest_charge'];

function readsOf(checkouts: Checkouts) {
  const expandable = (asked: readonly string[], known: readonly string[]) => {
    for (const each of asked.filter((one) => !known.includes(one))) {
      throw invalid(undefined, `This property cannot be expanded (${each}).`, 'expand');
    }
  };
  const shown = ({ intent, charge }: Checkout, withCharge: boolean) =>
    intent && withCharge && charge ? { ...intent, latest_charge: charge } : intent;
  return {
    sessions: () => [...checkouts.keys()],
    session(id: string, expand: readonly string[] = []): Stripe.Checkout.Session {
      expandable(expand, SESSION_EXPANDS);
      const checkout = checkoutOf(checkouts, id);
      if (expand.length === 0) return checkout.session;
      const withCharge = expand.includes('payment_intent.latest_charge');
      return { ...checkout.session, payment_intent: shown(checkout, withCharge) };
    },
    intent(id: string, expand: readonly string[] = []): Stripe.PaymentIntent {
      expandable(expand, ['latest_charge']);
      const checkout = [...checkouts.values()].find(({ intent }) => intent?.id === id);
      const intent = checkout && shown(checkout, expand.includes('latest_charge'));
      if (!intent) throw missing('payment_intent', id, 'intent');
      return intent;
    },
    disputes(intentId: string | null): Stripe.Dispute[] {
      const all = [...checkouts.values()].flatMap(({ disputes }) => disputes);
      return all.filter(({ payment_intent }) => !intentId || payment_intent === intentId).reverse();
    },
  };
}

/** An open page, with the payment intent and the charge of one more attempt to pay on it. */
function attempt(checkouts: Checkouts, told: Told, sessionId: string) {
  const checkout = checkoutOf(checkouts, sessionId);
  const { asked, session } = checkout;
  if (session.status !== 'open') throw new Error(`Checkout ${sessionId} is ${session.status}`);
  const intent = checkout.intent ?? intentOf(newId('pi'), asked, nowS());
  if (!checkout.intent) told('payment_intent.created', intent);
  const charge = chargeOf(newId('ch'), intent, nowS());
  intent.latest_charge = charge.id;
  session.payment_intent = intent.id;
  Object.assign(checkout, { intent, charge });
  return { session, intent, charge };
}

type Attempt = ReturnType<typeof attempt>;

function succeed({ intent, charge }: Omit<Attempt, 'session'>, told: Told) {
  const amount_captured = charge.amount;
  Object.assign(charge, { status: 'succeeded', paid: true, captured: true, amount_captured });
  const amount_received = intent.amount;
  Object.assign(intent, { status: 'succeeded', amount_received, last_payment_error: null });
  told('charge.succeeded', charge);
  told('payment_intent.succeeded', intent);
}

function fail({ intent, charge }: Omit<Attempt, 'session'>, told: Told, decline: Decline) {
  const message = 'Your card was declined.';
  Object.assign(charge, { status: 'failed', failure_code: decline.code, failure_message: message });
  intent.status = 'requires_payment_method';
  intent.last_payment_error = {
    type: 'card_error',
    code: decline.code,
    decline_code: decline.declineCode,
    message,
    charge: charge.id,
  };
  told('charge.failed', charge);
  told('payment_intent.payment_failed', intent);
}

/** The actions of a buyer on the page. */
function buyersOf(checkouts: Checkouts, told: Told) {
  const complete = (session: Stripe.Checkout.Session, payment_status: 'paid' | 'unpaid') => {
    Object.assign(session, { status: 'complete', payment_status, url: null });
    told('checkout.session.completed', session);
  };
  return {
    /** Pays by card. */
    pay(sessionId: string): void {
      const { session, ...rest } = attempt(checkouts, told, sessionId);
      succeed(rest, told);
      complete(session, 'paid');
    },
    /** Is declined, and may try again: the page stays open. */
    decline(sessionId: string, decline: Decline = { code: 'card_declined' }): void {
      fail(attempt(checkouts, told, sessionId), told, decline);
    },
    /** Pays in a way whose outcome comes days later. */
    payByBank(sessionId: string): void {
      const { session, intent } = attempt(checkouts, told, sessionId);
      intent.status = 'processing';
      told('payment_intent.processing', intent);
      complete(session, 'unpaid');
    },
    /** The page expires. */
    expire(sessionId: string): void {
      const { session, intent } = checkoutOf(checkouts, sessionId);
      if (session.status !== 'open') throw new Error(`Checkout ${sessionId} is ${session.status}`);
      Object.assign(session, { status: 'expired', url: null });
      if (intent) Object.assign(intent, { status: 'canceled', cancellation_reason: 'automatic' });
      told('checkout.session.expired', session);
    },
  };
}

/** The later actions of banks and the seller. */
function banksOf(checkouts: Checkouts, told: Told) {
  const paid = (sessionId: string) => {
    const checkout = checkoutOf(checkouts, sessionId);
    const { session, intent, charge, disputes } = checkout;
    if (!intent || !charge) throw new Error(`Checkout ${sessionId} has no attempt to pay`);
    return { session, intent, charge, disputes };
  };
  return {
    /** The outcome of `payByBank`. */
    answerOfBank(sessionId: string, outcome: 'paid' | 'failed'): void {
      const { session, ...rest } = paid(sessionId);
      if (outcome === 'paid') {
        succeed(rest, told);
        session.payment_status = 'paid';
        told('checkout.session.async_payment_succeeded', session);
      } else {
        fail(rest, told, { code: 'payment_intent_payment_attempt_failed' });
        told('checkout.session.async_payment_failed', session);
      }
    },
    refund(sessionId: string, cents: number): void {
      const { charge } = paid(sessionId);
      if (charge.amount_refunded + cents > charge.amount) throw new Error('Refunds exceed charge');
      charge.amount_refunded += cents;
      charge.refunded = charge.amount_refunded === charge.amount;
      told('charge.refunded', charge);
    },
    /** Returns the dispute's id. */
    dispute(sessionId: string): string {
      const { charge, disputes } = paid(sessionId);
      const dispute = disputeOf(newId('du'), charge, nowS());
      charge.disputed = true;
      disputes.push(dispute);
      told('charge.dispute.created', dispute);
      told('charge.dispute.funds_withdrawn', dispute);
      return dispute.id;
    },
    closeDispute(disputeId: string, status: 'won' | 'lost' | 'warning_closed'): void {
      const all = [...checkouts.values()].flatMap(({ disputes }) => disputes);
      const dispute = all.find(({ id }) => id === disputeId);
      if (!dispute) throw missing('dispute', disputeId, 'dispute');
      dispute.status = status;
      told('charge.dispute.closed', dispute);
      if (status === 'won') told('charge.dispute.funds_reinstated', dispute);
    },
  };
}
