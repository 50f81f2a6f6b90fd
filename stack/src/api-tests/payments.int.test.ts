import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { paymentStream } from '@tallyhand/command-service/features/credits/payment.decider';
import { testWebhookSecret } from '@tallyhand/command-service/features/credits/test-payments-webhooks';
import type { CommandContext } from '@tallyhand/command-service/kit/context';
import {
  confirmPurchase,
  purchaseCredits,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Bought,
  eventText,
  professional,
  purchasesOf,
  sendWebhook,
  signatureOf,
  starter,
} from '../testing/one-of-each.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let client: ApiClient;
let user: CurrentUser;
let admin: ReturnType<typeof purchasesOf>;

beforeAll(async () => {
  product = await startTestProduct({ sweepTimes: { everyMs: 100, graceMs: 300 } });
});
afterAll(() => product[Symbol.asyncDispose]());

/** Its Admin, with the 100 credits of a new organization. */
async function newOrganization() {
  ({ client, user } = await registerOrganization(product.url));
  admin = purchasesOf(client);
}

/** The provider reports again that a payment succeeded. */
async function tellSuccess(paymentId: string, type: string) {
  const payment = await admin.find(paymentId);
  const paid = { currency: 'usd', metadata: { paymentId } };
  const body = eventText({
    type,
    object: type.startsWith('payment_intent')
      ? { ...paid, id: payment?.providerTxnId, amount_received: 4_900 }
      : {
          ...paid,
          payment_intent: payment?.providerTxnId,
          payment_status: 'paid',
          amount_total: 4_900,
        },
  });
  const secret = testWebhookSecret(sealedBox(product.config.masterKey));
  const headers = { 'stripe-signature': signatureOf(body, secret) };
  const answer = await sendWebhook(product.url, receiveTestPaymentsWebhook, body, headers);
  expect([answer.status, answer.body]).toEqual([200, { received: true }]);
}

describe('a purchase', () => {
  it('adds its credits by the webhook alone', async () => {
    await newOrganization();
    const { paymentIntentId: id, checkoutUrl } = await admin.buy();
    expect(checkoutUrl).toBeUndefined();
    await admin.expectEntries(id, ['purchased 100']);
    await admin.expectStatus(id, 'succeeded');
    expect(await admin.balance()).toBe(200);
    expect(await admin.find(id)).toMatchObject({
      amount: '49.00',
      creditsPurchased: 100,
      provider: 'test',
      hasReceipt: true,
    });
  });

  it('can name the package by its id alone', async () => {
    await newOrganization();
    const bought = await client.call<Bought>(purchaseCredits, {
      body: { packageId: 'professional', testOutcome: 'success' },
    });
    expect(bought.status).toBe(201);
    const { paymentIntentId } = bought.body;
    const confirmed = await client.call(confirmPurchase, { body: { paymentIntentId } });
    expect(confirmed.body).toEqual({ status: 'succeeded', creditBalance: 600 });
  });

  it('adds its credits through the return page as soon as it is confirmed', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy('success', professional);
    const confirmed = await admin.confirm(id, 500);
    expect([confirmed.status, confirmed.body]).toEqual([
      200,
      { status: 'succeeded', creditBalance: 600 },
    ]);
    expect(await admin.balance()).toBe(600);
    expect(await admin.entries(id)).toEqual(['purchased 500']);
  });

  it('adds its credits once: page and webhooks, both kinds, twice and late', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy();
    await Promise.all([admin.confirm(id), admin.confirm(id)]);
    for (const type of ['payment_intent.succeeded', 'checkout.session.completed']) {
      await tellSuccess(id, type);
      await tellSuccess(id, type);
    }
    expect((await admin.confirm(id)).body).toEqual({ status: 'succeeded', creditBalance: 200 });
    expect(await admin.entries(id)).toEqual(['purchased 100']);
    expect(await admin.balance()).toBe(200);
  });

  it('adds its credits once when 20 confirm it at the same time', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy();
    const confirmed = await Promise.all(Array.from({ length: 20 }, () => admin.confirm(id)));
    for (const { status, body } of confirmed) {
      expect([status, body]).toEqual([200, { status: 'succeeded', creditBalance: 200 }]);
    }
    expect(await admin.entries(id)).toEqual(['purchased 100']);
  });

  it('is made once for one key', async () => {
    await newOrganization();
    const headers = { 'idempotency-key': newId() };
    const ask = () => client.call<Bought>(purchaseCredits, { body: starter, headers });
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    await admin.expectEntries(first.body.paymentIntentId, ['purchased 100']);
    expect(await admin.payments()).toHaveLength(1);
  });

  it.each([
    ['declined', 'card_declined'],
    ['insufficient-funds', 'insufficient_funds'],
  ])('that is %s is 402 with the code, and buys nothing', async (outcome, reason) => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy(outcome);
    const confirmed = await admin.confirm(id);
    expect(confirmed.body).toMatchObject({
      status: 402,
      code: 'payment-failed',
      params: { reason },
    });
    await admin.expectStatus(id, 'failed');
    expect(await admin.find(id)).toMatchObject({ failureCode: reason, hasReceipt: false });
    expect([await admin.balance(), await admin.entries(id)]).toEqual([100, []]);
  });

  it('that needs authentication is pending until the customer completes it', async () => {
    await newOrganization();
    const { paymentIntentId: id, checkoutUrl, status } = await admin.buy('needs-authentication');
    expect([status, checkoutUrl]).toEqual(['pending', `/billing/test-checkout/${id}`]);
    expect((await admin.confirm(id)).body).toMatchObject({ status: 409, code: 'payment-pending' });
    expect(await admin.find(id)).toMatchObject({ status: 'pending', checkoutUrl });
    expect((await admin.act(id, 'authenticate')).status).toBe(202);
    expect((await admin.confirm(id)).body).toEqual({ status: 'succeeded', creditBalance: 200 });
    await admin.expectEntries(id, ['purchased 100']);
    const again = await admin.act(id, 'authenticate');
    expect(again.body).toMatchObject({ status: 409, code: 'not-a-test-payment' });
  });

  it('whose authentication fails grants no credits', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy('needs-authentication');
    expect((await admin.act(id, 'fail-authentication')).status).toBe(202);
    await admin.expectStatus(id, 'failed');
    expect((await admin.confirm(id)).status).toBe(402);
    expect([await admin.balance(), await admin.entries(id)]).toEqual([100, []]);
  });
});

describe('a reversed payment', () => {
  it('by a refund withdraws its credits, even below zero', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy();
    await admin.confirm(id);
    expect((await admin.act(id, 'refund')).status).toBe(202);
    await admin.expectEntries(id, ['purchased 100', 'reversed -100']);
    await admin.expectStatus(id, 'refunded');
    expect(await admin.balance()).toBe(100);
    expect(await admin.find(id)).toMatchObject({ refundedAmount: '49.00', creditsReversed: 100 });
    expect((await admin.act(id, 'refund')).status).toBe(409);
    expect((await admin.confirm(id)).body).toEqual({ status: 'refunded', creditBalance: 100 });
    await tellSuccess(id, 'payment_intent.succeeded');
    expect(await admin.entries(id)).toEqual(['purchased 100', 'reversed -100']);
  });

  it('by a dispute returns its credits when the dispute is won', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy();
    await admin.confirm(id);
    expect((await admin.act(id, 'win-dispute')).status).toBe(409);
    expect((await admin.act(id, 'dispute')).status).toBe(202);
    await admin.expectEntries(id, ['purchased 100', 'reversed -100']);
    await admin.expectStatus(id, 'disputed');
    expect(await admin.balance()).toBe(100);
    expect((await admin.act(id, 'win-dispute')).status).toBe(202);
    await admin.expectEntries(id, ['purchased 100', 'reversed -100', 'reinstated 100']);
    await admin.expectStatus(id, 'succeeded');
    expect(await admin.balance()).toBe(200);
  });

  it('by a dispute keeps its credits away when the dispute is lost', async () => {
    await newOrganization();
    const { paymentIntentId: id } = await admin.buy();
    await admin.confirm(id);
    await admin.act(id, 'dispute');
    await admin.act(id, 'lose-dispute');
    await admin.expectEntries(id, ['purchased 100', 'reversed -100']);
    await expect.poll(async () => (await admin.find(id))?.disputeOutcome).toBe('lost');
    expect((await admin.find(id))?.status).toBe('disputed');
    expect(await admin.balance()).toBe(100);
  });
});

describe('a payment that was cut off', () => {
  /** The payment of one organization, with what is done before and found after one restart. */
  type CutOff = {
    /** The first steps of something, in a process that ends before the next one. */
    readonly steps?: (opened: OpenedKit) => Promise<unknown>;
    readonly ends: () => Promise<void>;
  };
  const contextOf = ({ id, organization }: CurrentUser): CommandContext => ({
    organizationId: organization.id,
    actor: { kind: 'member', id },
    commandId: newId(),
    correlationId: newId(),
    causationId: null,
    now: new Date(),
  });
  const requested = ({ id: requestedBy, organization }: CurrentUser, paymentId: string) => ({
    paymentId,
    organizationId: organization.id,
    packageId: 'starter',
    credits: 100,
    cents: 4_900,
    currency: 'usd',
    provider: 'test' as const,
    requestedBy,
  });
  const paymentsIn = ({ kit }: OpenedKit) => kit.streams.of(paymentStream);
  const request = (opened: OpenedKit, by: CurrentUser, id: string) =>
    paymentsIn(opened).send(id, { type: 'RequestPayment', data: requested(by, id) }, contextOf(by));

  const cutOffs: Readonly<Record<string, (by: CurrentUser, own: typeof admin) => Promise<CutOff>>> =
    {
      async 'before the provider knows of it is opened, and ends'(by, own) {
        const id = newId();
        return {
          steps: (opened) => request(opened, by, id),
          async ends() {
            await own.expectEntries(id, ['purchased 100']);
            await own.expectStatus(id, 'succeeded');
            expect(await own.balance()).toBe(200);
          },
        };
      },

      async 'before its first report ends by webhook and look-up, once'(by, own) {
        const id = newId();
        const asked = { paymentId: id, organizationId: by.organization.id, requestedBy: by.id };
        return {
          steps: ({ features }) =>
            features.payments.request(contextOf(by), { ...asked, ...starter }),
          async ends() {
            await own.expectEntries(id, ['purchased 100']);
            expect((await own.confirm(id)).body).toEqual({
              status: 'succeeded',
              creditBalance: 200,
            });
            expect(await own.entries(id)).toEqual(['purchased 100']);
          },
        };
      },

      async 'after its success was recorded buys its credits, once'(by, own) {
        const id = newId();
        return {
          async steps(opened) {
            await request(opened, by, id);
            const data = { transactionId: 'pi_cut', cents: 4_900 };
            await paymentsIn(opened).send(id, { type: 'RecordSuccess', data }, contextOf(by));
          },
          async ends() {
            await own.expectEntries(id, ['purchased 100']);
            expect(await own.balance()).toBe(200);
          },
        };
      },

      async 'between refund and ledger withdraws the credits, once'(by, own) {
        const { paymentIntentId: id } = await own.buy();
        await own.confirm(id);
        const data = { refundedCents: 2_450 };
        return {
          steps: (opened) =>
            paymentsIn(opened).send(id, { type: 'RecordRefund', data }, contextOf(by)),
          async ends() {
            await own.expectEntries(id, ['purchased 100', 'reversed -50']);
            expect(await own.balance()).toBe(150);
          },
        };
      },

      async 'while it waits for the customer continues after the restart'(_, own) {
        const { paymentIntentId: id } = await own.buy('needs-authentication');
        return {
          async ends() {
            expect((await own.act(id, 'authenticate')).status).toBe(202);
            await own.expectEntries(id, ['purchased 100']);
          },
        };
      },
    };

  const begun = new Map<string, CutOff>();
  beforeAll(async () => {
    for (const [name, begin] of Object.entries(cutOffs)) {
      await newOrganization();
      begun.set(name, await begin(user, admin));
    }
    await product.restart(async () => {
      await using opened = await openKit(product.config);
      for (const { steps } of begun.values()) await steps?.(opened);
    });
  });

  it.each(Object.keys(cutOffs))('%s', async (name) => {
    const { ends } = begun.get(name) ?? expect.fail('It was not begun');
    await ends();
  });
});
