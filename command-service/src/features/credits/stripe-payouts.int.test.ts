import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderFault } from './payment-gateway.ts';
import { stripeGateway } from './stripe-gateway.ts';
import { readStripeBalance } from './stripe-payouts.ts';
import { type StripePeer, startStripePeer } from './testing/stripe-peer/stripe-peer.ts';

let peer: StripePeer;
beforeAll(async () => {
  peer = await startStripePeer();
});
afterAll(() => peer[Symbol.asyncDispose]());

const period = {
  from: new Date(Date.now() - 86_400_000),
  until: new Date(Date.now() + 86_400_000),
};

async function paid(): Promise<string> {
  const { secretKey, webhookSecret, url: apiBase } = peer;
  const { sessionId } = await stripeGateway({ secretKey, webhookSecret, apiBase }).open({
    paymentId: newId(),
    organizationId: newId(),
    packageName: 'Starter Pack',
    credits: 100,
    cents: 4_900,
    currency: 'usd',
    successUrl: 'http://127.0.0.1/',
    cancelUrl: 'http://127.0.0.1/',
  });
  peer.account.pay(sessionId);
  return sessionId;
}

const read = (secretKey = peer.secretKey) =>
  readStripeBalance({ secretKey, apiBase: peer.url, timeoutMs: 2_000 }, period);

describe('the balance of a Stripe account', () => {
  it('is read to its last page, with the payout of each transaction', async () => {
    const session = await paid();
    for (let count = 1; count < 120; count += 1) await paid();
    peer.account.refund(session, 900);
    peer.account.dispute(session);
    const payoutId = peer.account.balance.payOut(Math.floor(Date.now() / 1_000));
    await paid();
    const { changes, payouts } = await read();
    expect(changes).toHaveLength(120 + 1 + 1 + 1 + 1);
    const of = (kind: string) => changes.filter((change) => change.kind === kind);
    expect(of('charge')).toHaveLength(121);
    expect(of('charge').filter((change) => change.payoutId === null)).toHaveLength(1);
    expect(of('charge').at(-1)).toMatchObject({
      amount: 4_900,
      fee: 172,
      net: 4_728,
      payoutId,
      paymentTransaction: expect.stringMatching(/^pi_/),
      charged: { amount: 4_900, currency: 'usd', refunded: 900 },
    });
    expect(of('refund')).toMatchObject([{ amount: -900, fee: 0, payoutId }]);
    expect(of('dispute')).toMatchObject([{ amount: -4_900, fee: 1_500, payoutId }]);
    const net = 120 * 4_728 - 900 - 6_400;
    expect(payouts).toMatchObject([{ id: payoutId, amount: net, net, currency: 'usd' }]);
    const pages = peer.received.filter(({ parameters }) => parameters.includes('starting_after='));
    expect(pages.length).toBeGreaterThanOrEqual(2);
  });

  it('is a fault without the key when Stripe refuses the key or is down', async () => {
    const wrong = `sk_test_${'x'.repeat(24)}`;
    for (const failing of [
      () => read(wrong),
      async () => {
        peer.trouble('down');
        return read().finally(() => peer.trouble(null));
      },
    ]) {
      const error = await failing().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProviderFault);
      expect(String(error)).not.toContain(wrong.slice(-4));
      expect(String(error)).not.toContain(peer.secretKey);
    }
  });
});
