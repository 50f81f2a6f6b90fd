import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { localServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import type { Order, PaymentFact } from './payment-gateway.ts';
import { TestPayments } from './test-payments.ts';

let backends: TestKit;

beforeAll(async () => {
  backends = await openTestKit();
});
afterAll(() => backends[Symbol.asyncDispose]());

const orderOf = (testOutcome?: Order['testOutcome']): Order => ({
  paymentId: newId(),
  organizationId: newId(),
  packageName: 'Starter Pack',
  credits: 100,
  cents: 4_900,
  currency: 'usd',
  ...(testOutcome ? { testOutcome } : {}),
  successUrl: 'http://127.0.0.1/billing',
  cancelUrl: 'http://127.0.0.1/billing',
});

/** Receives webhooks; answers the first ones of each event as configured. */
async function receiver(answers: number[] = []) {
  const received: { body: Buffer; signature: string }[] = [];
  const server = await localServer((_, response, { headers, body }) => {
    const status = answers.shift() ?? 200;
    const signature = String(headers['stripe-signature']);
    if (status === 200) received.push({ body: Buffer.from(body), signature });
    response.writeHead(status).end();
  });
  return { ...server, url: server.origin, received };
}

const waiting = async () => {
  const { rows } = await backends.admin.query('select from operational.test_webhooks');
  return rows.length;
};

describe('the webhooks of the test provider', () => {
  it('wait until the address is known, and are sent again until they are accepted', async () => {
    const order = orderOf('success');
    {
      await using stopped = new TestPayments(backends.opened.kit);
      await stopped.open(order);
      expect(await waiting()).toBe(2);
    }
    await using to = await receiver([500, 404]);
    await using provider = new TestPayments(backends.opened.kit);
    provider.sendTo(to.url);
    await expect.poll(waiting).toBe(0);
    expect(to.received).toHaveLength(2);

    const facts: PaymentFact[] = [];
    for (const { body, signature } of to.received) {
      const told = await provider.read(body, signature);
      expect(isRefusal(told)).toBe(false);
      if (!isRefusal(told)) facts.push(...told);
    }
    const { paymentId } = order;
    const [first, second] = facts;
    expect(first).toMatchObject({ paymentId, kind: 'succeeded', cents: 4_900 });
    expect(second).toEqual(first);
    const lookedUp = await provider.lookUp({ paymentId, sessionId: '' });
    expect(lookedUp).toContainEqual(first);
  });

  it('report the same as a look-up, for every change', async () => {
    await using to = await receiver();
    await using provider = new TestPayments(backends.opened.kit);
    provider.sendTo(to.url);
    const order = orderOf('needs-authentication');
    const { paymentId } = order;
    const { sessionId } = await provider.open(order);
    expect(await provider.lookUp({ paymentId, sessionId })).toEqual([]);
    for (const action of ['authenticate', 'dispute', 'win-dispute', 'refund'] as const) {
      const before = to.received.length;
      expect(await provider.act(paymentId, action), action).toBe(true);
      await expect.poll(() => to.received.length).toBeGreaterThan(before);
      const { body, signature } = to.received.at(-1) ?? { body: Buffer.of(), signature: '' };
      const told = await provider.read(body, signature);
      if (isRefusal(told)) throw new Error(`${action} was not signed`);
      expect(told, action).toHaveLength(1);
      expect(await provider.lookUp({ paymentId, sessionId })).toEqual(
        expect.arrayContaining([...told]),
      );
      expect(await provider.act(paymentId, action), `${action} again`).toBe(false);
    }
    await expect.poll(waiting).toBe(0);
  });
});

describe('a test payment', () => {
  it('is opened once, with the same answer', async () => {
    await using provider = new TestPayments(backends.opened.kit);
    const order = orderOf('needs-authentication');
    const before = await waiting();
    const opened = await provider.open(order);
    expect(opened.url).toBe(`/billing/test-checkout/${order.paymentId}`);
    expect(await provider.open(order)).toEqual(opened);
    expect(await waiting()).toBe(before);
  });

  it('that is not finished within a day expires', async () => {
    await using provider = new TestPayments(backends.opened.kit);
    const order = orderOf('needs-authentication');
    const { paymentId } = order;
    const { sessionId } = await provider.open(order);
    await backends.admin.query(
      `update operational.test_payments set created_at = now() - interval '25 hours'
       where payment_id = $1`,
      [paymentId],
    );
    const facts = await provider.lookUp({ paymentId, sessionId });
    expect(facts).toMatchObject([{ paymentId, kind: 'failed', code: 'expired' }]);
    expect(await provider.act(paymentId, 'authenticate')).toBe(false);
  });

  it('that is unknown cannot be changed', async () => {
    await using provider = new TestPayments(backends.opened.kit);
    expect(await provider.act(newId(), 'refund')).toBe(false);
  });
});
