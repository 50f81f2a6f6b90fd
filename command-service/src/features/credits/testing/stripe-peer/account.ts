import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { StripeBalance } from './balance.ts';
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

const newId = (prefix: string, bytes = 12) => `${prefix}_${randomBytes(bytes).toString('hex')}`;
const nowS = () => Math.floor(Date.now() / 1_000);

const SESSION_EXPANDS = ['payment_intent', 'payment_intent.latest_charge'];

type Attempt = {
  readonly session: Stripe.Checkout.Session;
  readonly intent: Stripe.PaymentIntent;
  readonly charge: Stripe.Charge;
};

/** An account at Stripe: its checkouts, the actions of buyers and banks, and the reported events. */
export class StripeAccount {
  readonly #pageBase: () => string;
  readonly #checkouts = new Map<string, Checkout>();
  readonly #events: PeerEvent[] = [];
  readonly balance = new StripeBalance();

  constructor(pageBase: () => string) {
    this.#pageBase = pageBase;
  }

  /** All events so far, oldest first, each with its object as it was then. */
  get events(): readonly PeerEvent[] {
    return this.#events;
  }

  create(asked: Asked): Stripe.Checkout.Session {
    const id = newId('cs_test', 28);
    const session = sessionOf(id, asked, nowS(), `${this.#pageBase()}/c/pay/${id}`);
    this.#checkouts.set(id, { asked, session, intent: null, charge: null, disputes: [] });
    return session;
  }

  sessions(): string[] {
    return [...this.#checkouts.keys()];
  }

  session(id: string, expand: readonly string[] = []): Stripe.Checkout.Session {
    checkExpandable(expand, SESSION_EXPANDS);
    const checkout = this.#checkout(id);
    if (expand.length === 0) return checkout.session;
    const withCharge = expand.includes('payment_intent.latest_charge');
    return { ...checkout.session, payment_intent: shownIntent(checkout, withCharge) };
  }

  intent(id: string, expand: readonly string[] = []): Stripe.PaymentIntent {
    checkExpandable(expand, ['latest_charge']);
    const checkout = [...this.#checkouts.values()].find(({ intent }) => intent?.id === id);
    const intent = checkout && shownIntent(checkout, expand.includes('latest_charge'));
    if (!intent) throw missing('payment_intent', id, 'intent');
    return intent;
  }

  disputes(intentId: string | null): Stripe.Dispute[] {
    const all = [...this.#checkouts.values()].flatMap(({ disputes }) => disputes);
    return all.filter(({ payment_intent }) => !intentId || payment_intent === intentId).reverse();
  }

  /** The buyer pays by card. */
  pay(sessionId: string): void {
    const attempt = this.#attempt(sessionId);
    this.#succeed(attempt);
    this.#complete(attempt.session, 'paid');
  }

  /** The buyer is declined, and may try again: the page stays open. */
  decline(sessionId: string, decline: Decline = { code: 'card_declined' }): void {
    this.#fail(this.#attempt(sessionId), decline);
  }

  /** The buyer pays in a way whose outcome is known days later. */
  payByBank(sessionId: string): void {
    const { session, intent } = this.#attempt(sessionId);
    intent.status = 'processing';
    this.#report('payment_intent.processing', intent);
    this.#complete(session, 'unpaid');
  }

  /** The page expires. */
  expire(sessionId: string): void {
    const { session, intent } = this.#checkout(sessionId);
    if (session.status !== 'open') throw new Error(`Checkout ${sessionId} is ${session.status}`);
    Object.assign(session, { status: 'expired', url: null });
    if (intent) Object.assign(intent, { status: 'canceled', cancellation_reason: 'automatic' });
    this.#report('checkout.session.expired', session);
  }

  /** The outcome of `payByBank`. */
  answerOfBank(sessionId: string, outcome: 'paid' | 'failed'): void {
    const attempt = this.#paid(sessionId);
    const { session } = attempt;
    if (outcome === 'paid') {
      this.#succeed(attempt);
      session.payment_status = 'paid';
      this.#report('checkout.session.async_payment_succeeded', session);
    } else {
      this.#fail(attempt, { code: 'payment_intent_payment_attempt_failed' });
      this.#report('checkout.session.async_payment_failed', session);
    }
  }

  refund(sessionId: string, cents: number): void {
    const { charge } = this.#paid(sessionId);
    if (charge.amount_refunded + cents > charge.amount) throw new Error('Refunds exceed charge');
    charge.amount_refunded += cents;
    charge.refunded = charge.amount_refunded === charge.amount;
    this.balance.refund(charge, cents, nowS());
    this.#report('charge.refunded', charge);
  }

  /** Returns the dispute's id. */
  dispute(sessionId: string): string {
    const { charge } = this.#paid(sessionId);
    const dispute = disputeOf(newId('du'), charge, nowS());
    charge.disputed = true;
    this.#checkout(sessionId).disputes.push(dispute);
    this.balance.dispute(dispute, 'withdrawn', nowS());
    this.#report('charge.dispute.created', dispute);
    this.#report('charge.dispute.funds_withdrawn', dispute);
    return dispute.id;
  }

  closeDispute(disputeId: string, status: 'won' | 'lost' | 'warning_closed'): void {
    const dispute = this.disputes(null).find(({ id }) => id === disputeId);
    if (!dispute) throw missing('dispute', disputeId, 'dispute');
    dispute.status = status;
    this.#report('charge.dispute.closed', dispute);
    if (status !== 'won') return;
    this.balance.dispute(dispute, 'reinstated', nowS());
    this.#report('charge.dispute.funds_reinstated', dispute);
  }

  #report(type: Stripe.Event['type'], object: unknown) {
    this.#events.push(eventOf(newId('evt'), type, object, nowS()));
  }

  #checkout(sessionId: string): Checkout {
    const checkout = this.#checkouts.get(sessionId);
    if (!checkout) throw missing('checkout.session', sessionId, 'session');
    return checkout;
  }

  /** Adds an attempt to pay to an open page. */
  #attempt(sessionId: string): Attempt {
    const checkout = this.#checkout(sessionId);
    const { asked, session } = checkout;
    if (session.status !== 'open') throw new Error(`Checkout ${sessionId} is ${session.status}`);
    const intent = checkout.intent ?? intentOf(newId('pi'), asked, nowS());
    if (!checkout.intent) this.#report('payment_intent.created', intent);
    const charge = chargeOf(newId('ch'), intent, nowS());
    intent.latest_charge = charge.id;
    session.payment_intent = intent.id;
    Object.assign(checkout, { intent, charge });
    return { session, intent, charge };
  }

  #paid(sessionId: string): Attempt {
    const { session, intent, charge } = this.#checkout(sessionId);
    if (!intent || !charge) throw new Error(`Checkout ${sessionId} has no attempt to pay`);
    return { session, intent, charge };
  }

  #succeed({ intent, charge }: Attempt) {
    const amount_captured = charge.amount;
    Object.assign(charge, { status: 'succeeded', paid: true, captured: true, amount_captured });
    this.balance.charge(charge, nowS());
    const amount_received = intent.amount;
    Object.assign(intent, { status: 'succeeded', amount_received, last_payment_error: null });
    this.#report('charge.succeeded', charge);
    this.#report('payment_intent.succeeded', intent);
  }

  #fail({ intent, charge }: Attempt, decline: Decline) {
    const message = 'Your card was declined.';
    const failure = { status: 'failed', failure_code: decline.code, failure_message: message };
    Object.assign(charge, failure);
    intent.status = 'requires_payment_method';
    intent.last_payment_error = {
      type: 'card_error',
      code: decline.code,
      decline_code: decline.declineCode,
      message,
      charge: charge.id,
    };
    this.#report('charge.failed', charge);
    this.#report('payment_intent.payment_failed', intent);
  }

  #complete(session: Stripe.Checkout.Session, payment_status: 'paid' | 'unpaid') {
    Object.assign(session, { status: 'complete', payment_status, url: null });
    this.#report('checkout.session.completed', session);
  }
}

function checkExpandable(asked: readonly string[], known: readonly string[]) {
  for (const each of asked.filter((one) => !known.includes(one))) {
    throw invalid(undefined, `This property cannot be expanded (${each}).`, 'expand');
  }
}

const shownIntent = ({ intent, charge }: Checkout, withCharge: boolean) =>
  intent && withCharge && charge ? { ...intent, latest_charge: charge } : intent;
