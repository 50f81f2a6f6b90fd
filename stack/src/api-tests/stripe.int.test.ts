import {
  type StripePeer,
  startStripePeer,
} from '@tallyhand/command-service/features/credits/testing/stripe-peer/stripe-peer';
import {
  purchaseCredits,
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purchasesOf, sendWebhook, starter } from '../testing/one-of-each.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let peer: StripePeer;
let product: OwnProduct;
let client: ApiClient;
let admin: ReturnType<typeof purchasesOf>;

beforeAll(async () => {
  peer = await startStripePeer();
  product = await startTestProduct({
    payments: {
      stripeSecretKey: peer.secretKey,
      stripeWebhookSecret: peer.webhookSecret,
      stripeApiBase: peer.url,
    },
    sweepTimes: { everyMs: 100, graceMs: 300 },
  });
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});
beforeEach(async () => {
  peer.trouble(null);
  ({ client } = await registerOrganization(product.url));
  admin = purchasesOf(client);
});

const address = () => `${product.url}${receiveStripeWebhook.path}`;

/** A new purchase, its page at Stripe, and the webhooks that follow. */
async function buy() {
  const { paymentIntentId: id, checkoutUrl = '', status } = await admin.buy();
  expect(status).toBe('pending');
  const session = /\/c\/pay\/(\w+)$/.exec(checkoutUrl)?.[1] ?? '';
  const before = peer.account.events.length;
  return { id, checkoutUrl, session, events: () => peer.account.events.slice(before) };
}

const sum = (entries: readonly string[]) =>
  entries.reduce((total, entry) => total + Number(entry.split(' ')[1]), 0);

/** Everything is sent and accepted, however little of it has an effect. */
async function send(events = peer.account.events) {
  const statuses = await peer.send(address(), events);
  expect(statuses).toEqual(events.map(() => 200));
}

describe('a purchase with Stripe', () => {
  it('is paid on the hosted page; webhook and return page add the credits once', async () => {
    const { id, checkoutUrl, events } = await buy();
    expect(checkoutUrl.startsWith(peer.url)).toBe(true);
    expect((await admin.confirm(id)).body).toMatchObject({ status: 409, code: 'payment-pending' });
    const back = await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' });
    const page = `${product.config.publicUrl}/billing?payment=${id}&outcome=success`;
    expect(back.headers.get('location')).toBe(page);
    const [confirmed] = await Promise.all([admin.confirm(id), send(events()), send(events())]);
    expect(confirmed.body).toEqual({ status: 'succeeded', creditBalance: 200 });
    await send(events().toReversed());
    expect((await admin.confirm(id)).body).toEqual({ status: 'succeeded', creditBalance: 200 });
    expect(await admin.entries(id)).toEqual(['purchased 100']);
    expect(await admin.find(id)).toMatchObject({
      status: 'succeeded',
      provider: 'stripe',
      providerTxnId: expect.stringMatching(/^pi_/),
      hasReceipt: true,
    });
  });

  it('adds its credits by the webhook alone', async () => {
    const { id, session, events } = await buy();
    peer.account.pay(session);
    await send(events().filter(({ type }) => type === 'payment_intent.succeeded'));
    await admin.expectEntries(id, ['purchased 100']);
    await admin.expectBalance(200);
  });

  it('adds its credits by look-up alone, even if the payment ended during an outage', async () => {
    const { id, session } = await buy();
    await product.restart(async () => peer.account.pay(session));
    await admin.expectEntries(id, ['purchased 100']);
    await admin.expectStatus(id, 'succeeded');
  });

  it('may be paid with another card after one was declined', async () => {
    const { id, session, events } = await buy();
    peer.account.decline(session, { code: 'card_declined', declineCode: 'insufficient_funds' });
    await send(events());
    await admin.expectStatus(id, 'failed');
    expect(await admin.find(id)).toMatchObject({ failureCode: 'insufficient_funds' });
    peer.account.pay(session);
    await admin.expectEntries(id, ['purchased 100']);
    await send(events().toReversed());
    await admin.expectStatus(id, 'succeeded');
    expect(await admin.entries(id)).toEqual(['purchased 100']);
  });

  it('has failed when its page expires', async () => {
    const { id, session, events } = await buy();
    peer.account.expire(session);
    await send(events());
    await admin.expectStatus(id, 'failed');
    expect((await admin.confirm(id)).body).toMatchObject({
      status: 402,
      params: { reason: 'expired' },
    });
    expect(await admin.balance()).toBe(100);
  });

  it('is pending until the bank has answered', async () => {
    const { id, session, events } = await buy();
    peer.account.payByBank(session);
    await send(events());
    expect((await admin.confirm(id)).body).toMatchObject({ code: 'payment-pending' });
    peer.account.answerOfBank(session, 'paid');
    await send(events());
    await admin.expectEntries(id, ['purchased 100']);
  });

  it('is refused while Stripe is down, and gets its page when Stripe is back', async () => {
    peer.trouble('down');
    const refused = await client.call(purchaseCredits, { body: starter });
    expect(refused.body).toMatchObject({ status: 503, code: 'payment-provider-unavailable' });
    peer.trouble(null);
    const find = async () => (await admin.payments())[0]?.checkoutUrl;
    await expect.poll(find).toContain(`${peer.url}/c/pay/`);
    expect(await admin.payments()).toHaveLength(1);
  });

  it('gets one page though the answer of Stripe was lost', async () => {
    const before = peer.account.sessions().length;
    peer.trouble('dropped', 1);
    await buy();
    expect(peer.account.sessions()).toHaveLength(before + 1);
  });
});

describe("a payment's credits", () => {
  it('are withdrawn in proportion when it is refunded', async () => {
    const { id, session, events } = await buy();
    peer.account.pay(session);
    peer.account.refund(session, 2_450);
    await send(events());
    await admin.expectEntries(id, ['purchased 100', 'reversed -50']);
    const refunded = { status: 'refunded', refundedAmount: '24.50' };
    await expect.poll(() => admin.find(id)).toMatchObject(refunded);
    peer.account.refund(session, 2_450);
    await send(events());
    await admin.expectBalance(100);
  });

  it('are withdrawn by a dispute, and returned when it is won', async () => {
    const { id, session, events } = await buy();
    peer.account.pay(session);
    const disputeId = peer.account.dispute(session);
    await send(events());
    await admin.expectBalance(100);
    const open = { status: 'disputed', disputeOutcome: 'open' };
    await expect.poll(() => admin.find(id)).toMatchObject(open);
    peer.account.closeDispute(disputeId, 'won');
    await send(events());
    await admin.expectBalance(200);
    await admin.expectStatus(id, 'succeeded');
  });

  it('stay withdrawn after a lost dispute', async () => {
    const { id, session, events } = await buy();
    peer.account.pay(session);
    peer.account.closeDispute(peer.account.dispute(session), 'lost');
    await send(events());
    await admin.expectBalance(100);
    const lost = { status: 'disputed', disputeOutcome: 'lost' };
    await expect.poll(() => admin.find(id)).toMatchObject(lost);
  });

  it('add up to the same in any order of the webhooks, each sent twice', async () => {
    // Two orders here: `payment.histories.test.ts` has thousands.
    const ORDERS = 2;
    const EVENTS = 12;
    const places = [...Array(EVENTS).keys(), ...Array(EVENTS).keys()];
    const whole = { minLength: places.length, maxLength: places.length };
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(places, whole), async (order) => {
        const { id, session, events } = await buy();
        peer.account.decline(session);
        peer.account.pay(session);
        peer.account.refund(session, 490);
        peer.account.closeDispute(peer.account.dispute(session), 'won');
        peer.account.refund(session, 490);
        expect(events()).toHaveLength(EVENTS);
        await send(order.flatMap((place) => events()[place] ?? []));
        const credits = async () => sum(await admin.entries(id));
        await expect.poll(credits).toBe(80);
        expect(await admin.find(id)).toMatchObject({
          status: 'refunded',
          refundedAmount: '9.80',
          creditsReversed: 20,
          disputeOutcome: 'won',
        });
      }),
      { numRuns: ORDERS, endOnFailure: true },
    );
    expect(await admin.balance()).toBe(100 + ORDERS * 80);
  });
});

describe('a webhook', () => {
  it('that is forged or old is refused, and has no effect', async () => {
    const { id, session, events } = await buy();
    peer.account.decline(session);
    const paid = events().map((event) => ({ ...event, type: 'payment_intent.succeeded' as const }));
    expect(await peer.send(address(), paid.slice(0, 1), { secret: 'whsec_guessed' })).toEqual([
      400,
    ]);
    const now = new Date(Date.now() - 301_000);
    expect(await peer.send(address(), paid.slice(0, 1), { now })).toEqual([400]);
    const bare = await sendWebhook(product.url, receiveStripeWebhook, JSON.stringify(paid[0]), {});
    expect(bare.body).toMatchObject({ status: 400, code: 'webhook-not-signed' });
    expect(await admin.entries(id)).toEqual([]);
  });

  it('about another amount, or a foreign payment, is accepted without effect', async () => {
    const { id, session, events } = await buy();
    peer.account.decline(session);
    const [intent] = events().filter(({ type }) => type === 'payment_intent.payment_failed');
    if (!intent) throw new Error('The peer sent nothing');
    const paid = (changes: object) => ({
      ...intent,
      type: 'payment_intent.succeeded' as const,
      data: { object: { ...(intent.data.object as object), ...changes } },
    });
    await send([
      paid({ amount_received: 1 }),
      paid({ amount_received: 4_900, currency: 'jpy' }),
      paid({ amount_received: 4_900, metadata: { paymentId: crypto.randomUUID() } }),
      paid({ amount_received: 4_900, metadata: { orderId: '66' } }),
    ]);
    expect(await admin.entries(id)).toEqual([]);
    expect(await admin.balance()).toBe(100);
  });

  it('of the test provider is not known here, and neither are its outcomes', async () => {
    const answer = await sendWebhook(product.url, receiveTestPaymentsWebhook, '{}', {});
    expect(answer.status).toBe(404);
    const body = { ...starter, testOutcome: 'success' };
    expect((await client.call(purchaseCredits, { body })).status).toBe(422);
  });
});
