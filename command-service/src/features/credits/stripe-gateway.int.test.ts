import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Order, type PaymentGateway, ProviderFault } from './payment-gateway.ts';
import { stripeGateway } from './stripe-gateway.ts';
import { signedHeader } from './stripe-signature.ts';
import { type StripePeer, startStripePeer } from './testing/stripe-peer/stripe-peer.ts';

let peer: StripePeer;
let gateway: PaymentGateway;

const timeoutMs = 300;

beforeAll(async () => {
  peer = await startStripePeer();
  const { secretKey, webhookSecret, url: apiBase } = peer;
  gateway = stripeGateway({ secretKey, webhookSecret, apiBase, timeoutMs });
});
afterEach(() => peer.trouble(null));
afterAll(() => peer[Symbol.asyncDispose]());

const anOrder = (changes: Partial<Order> = {}): Order => ({
  paymentId: newId(),
  organizationId: newId(),
  packageName: 'Professional Pack',
  credits: 500,
  cents: 19_900,
  currency: 'usd',
  successUrl: 'http://127.0.0.1/billing?payment=1',
  cancelUrl: 'http://127.0.0.1/billing?payment=1&cancelled=1',
  ...changes,
});

async function opened() {
  const order = anOrder();
  const { sessionId } = await gateway.open(order);
  const { paymentId } = order;
  return { order, paymentId, sessionId, lookUp: () => gateway.lookUp({ paymentId, sessionId }) };
}

const faultOf = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('The call did not fail');
    },
    (error: unknown) => {
      if (error instanceof ProviderFault) return error;
      throw error;
    },
  );

describe('open', () => {
  it('makes a hosted page for the order, in our currency, with the payment in all metadata', async () => {
    const { order, sessionId } = await opened();
    const session = peer.account.session(sessionId);
    expect(session).toMatchObject({
      mode: 'payment',
      amount_total: order.cents,
      currency: 'usd',
      client_reference_id: order.paymentId,
      metadata: { paymentId: order.paymentId, organizationId: order.organizationId },
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
    });
    peer.account.pay(sessionId);
    const { payment_intent } = peer.account.session(sessionId, ['payment_intent']);
    expect(payment_intent).toMatchObject({ metadata: { paymentId: order.paymentId } });
  });
  it('returns the same page again for the same payment', async () => {
    const order = anOrder();
    const before = peer.account.sessions().length;
    const [first, ...others] = [await gateway.open(order), await gateway.open(order)];
    expect(others).toEqual([first]);
    expect(peer.account.sessions()).toHaveLength(before + 1);
  });
  it('returns that page also when the first answer was lost', async () => {
    const order = anOrder();
    const before = peer.account.sessions().length;
    peer.trouble('dropped', 1);
    const checkout = await gateway.open(order);
    expect(peer.account.sessions().slice(before)).toEqual([checkout.sessionId]);
  });
  it('is a fault when another order comes under the same payment', async () => {
    const order = anOrder();
    await gateway.open(order);
    const { message } = await faultOf(gateway.open({ ...order, cents: 4_900 }));
    expect(message).toContain('StripeIdempotencyError');
  });
  it('sends the version of the package, and no telemetry', async () => {
    await gateway.open(anOrder());
    await gateway.open(anOrder());
    const last = peer.received.at(-1);
    expect(last).toMatchObject({ version: Stripe.API_VERSION, hasTelemetry: false, status: 200 });
  });
});

describe('lookUp', () => {
  it('reports nothing while the page is open, even after a declined card', async () => {
    const { sessionId, lookUp } = await opened();
    expect(await lookUp()).toEqual([]);
    peer.account.decline(sessionId);
    expect(await lookUp()).toEqual([]);
  });
  it('reports a success, as the webhooks do', async () => {
    const { paymentId, sessionId, lookUp } = await opened();
    peer.account.decline(sessionId);
    peer.account.pay(sessionId);
    const transactionId = peer.account.session(sessionId).payment_intent;
    const success = { paymentId, kind: 'succeeded', transactionId, cents: 19_900 };
    expect(await lookUp()).toEqual([success]);
    expect((await toldOf(paymentId)).filter(({ kind }) => kind === 'succeeded')).toEqual([
      success,
      success,
    ]);
  });
  it('reports that the page has expired, as the webhook does', async () => {
    const { paymentId, sessionId, lookUp } = await opened();
    peer.account.expire(sessionId);
    expect(await lookUp()).toEqual([
      { paymentId, kind: 'failed', transactionId: null, code: 'expired' },
    ]);
    expect(await toldOf(paymentId)).toEqual(await lookUp());
  });
  it('reports nothing while the bank decides, then its decision', async () => {
    const [good, bad] = [await opened(), await opened()];
    peer.account.payByBank(good.sessionId);
    peer.account.payByBank(bad.sessionId);
    expect([await good.lookUp(), await bad.lookUp()]).toEqual([[], []]);
    peer.account.answerOfBank(good.sessionId, 'paid');
    peer.account.answerOfBank(bad.sessionId, 'failed');
    expect(await good.lookUp()).toMatchObject([{ kind: 'succeeded', cents: 19_900 }]);
    expect(await bad.lookUp()).toMatchObject([
      { kind: 'failed', code: 'payment_intent_payment_attempt_failed' },
    ]);
  });
  it('reports the total refunded', async () => {
    const { paymentId, sessionId, lookUp } = await opened();
    peer.account.pay(sessionId);
    peer.account.refund(sessionId, 5_000);
    peer.account.refund(sessionId, 2_500);
    const refunded = { paymentId, kind: 'refunded', refundedCents: 7_500 };
    expect(await lookUp()).toMatchObject([{ kind: 'succeeded' }, refunded]);
    expect((await toldOf(paymentId)).at(-1)).toEqual(refunded);
  });
  it('reports a dispute and its outcome', async () => {
    const [won, lost] = [await opened(), await opened()];
    for (const [payment, outcome] of [
      [won, 'won'],
      [lost, 'lost'],
    ] as const) {
      const { paymentId, sessionId, lookUp } = payment;
      peer.account.pay(sessionId);
      const disputeId = peer.account.dispute(sessionId);
      const open = { paymentId, kind: 'disputed', disputeId, cents: 19_900 };
      expect((await lookUp()).slice(1)).toEqual([open]);
      expect((await toldOf(paymentId)).at(-1)).toEqual(open);
      peer.account.closeDispute(disputeId, outcome);
      const closed = { paymentId, kind: 'dispute-closed', disputeId, outcome };
      expect((await lookUp()).slice(1)).toEqual([closed]);
      expect((await toldOf(paymentId)).at(-1)).toEqual(closed);
    }
  });
  it('is a fault for an unknown page, and for the page of another payment', async () => {
    const { paymentId, sessionId } = await opened();
    const unknown = await faultOf(gateway.lookUp({ paymentId, sessionId: 'cs_test_unknown' }));
    expect(unknown.message).toContain('resource_missing');
    await faultOf(gateway.lookUp({ paymentId: newId(), sessionId }));
  });
});

describe('read', () => {
  it('refuses an unsigned webhook without calling Stripe', async () => {
    const before = peer.received.length;
    const body = JSON.stringify({ type: 'charge.dispute.created', data: { object: {} } });
    const forged = signedHeader(body, 'whsec_of_another');
    expect(isRefusal(await gateway.read(Buffer.from(body), forged))).toBe(true);
    expect(peer.received).toHaveLength(before);
  });
  it('reports nothing about a dispute over a payment that Stripe does not know', async () => {
    const object = { id: 'du_1', payment_intent: 'pi_1', amount: 1, status: 'lost' };
    expect(await readSigned({ type: 'charge.dispute.closed', data: { object } })).toEqual([]);
  });
  it('is a fault, so that the webhook comes again, while Stripe does not answer', async () => {
    const { paymentId, sessionId } = await opened();
    peer.account.pay(sessionId);
    peer.account.dispute(sessionId);
    peer.trouble('down');
    await faultOf(toldOf(paymentId));
  });
});

describe('a fault', () => {
  it.each([
    ['down', 'StripeAPIError, 503'],
    ['limited', 'StripeRateLimitError, 429'],
    ['garbled', 'Invalid JSON'],
    ['silent', 'timeout'],
    ['dropped', 'StripeConnectionError'],
  ] as const)('is thrown while Stripe is %s', async (trouble, word) => {
    const { lookUp } = await opened();
    peer.trouble(trouble);
    expect((await faultOf(lookUp())).message).toContain(word);
    expect((await faultOf(gateway.open(anOrder()))).message).toContain(word);
  });
  it('is thrown when the connection is refused', async () => {
    const gone = await startStripePeer();
    const { secretKey, webhookSecret, url: apiBase } = gone;
    await gone[Symbol.asyncDispose]();
    const unreachable = stripeGateway({ secretKey, webhookSecret, apiBase });
    await faultOf(unreachable.open(anOrder()));
  });
  it('does not last: the call works as soon as Stripe does', async () => {
    const order = anOrder();
    peer.trouble('down');
    await faultOf(gateway.open(order));
    peer.trouble('down', 1);
    expect((await gateway.open(order)).url).toContain(peer.url);
  });
  it('names what Stripe rejected, and no part of a key', async () => {
    const { url: apiBase, webhookSecret } = peer;
    const secretKey = 'sk_test_51NotTheRightKeyAtAll';
    const stranger = stripeGateway({ secretKey, webhookSecret, apiBase, timeoutMs });
    const { message, stack } = await faultOf(stranger.open(anOrder()));
    expect(message).toContain('StripeAuthenticationError, 401');
    expect(`${message} ${stack}`).not.toMatch(/sk_test|AtAll|whsec_/);
    const refused = await faultOf(gateway.open(anOrder({ cents: 1 })));
    expect(refused.message).toContain('amount_too_small, line_items, 400');
  });
});

const readSigned = async (event: unknown) => {
  const body = JSON.stringify(event);
  const answer = await gateway.read(Buffer.from(body), signedHeader(body, peer.webhookSecret));
  if (isRefusal(answer)) throw new Error(answer.code);
  return answer;
};

/** The peer's webhooks for a payment, in order. */
async function toldOf(paymentId: string) {
  const told = [];
  for (const event of peer.account.events) told.push(...(await readSigned(event)));
  return told.filter((fact) => fact.paymentId === paymentId);
}
