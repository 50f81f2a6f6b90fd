import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit, testContext } from '../../kit/testing/backends.ts';
import { failureOf, paymentStream, statusOf } from './payment.decider.ts';
import { sweepPayments } from './payments.worker.ts';

let backends: TestKit;

beforeAll(async () => {
  const nowhere = 'http://127.0.0.1:1';
  const stripe = { stripeSecretKey: 'sk_test_1', stripeWebhookSecret: 'whsec_1' };
  backends = await openTestKit({ payments: { ...stripe, stripeApiBase: nowhere } });
});
afterAll(() => backends[Symbol.asyncDispose]());

const payments = () => backends.opened.kit.streams.of(paymentStream);

/** A pending payment that the provider does not know. */
async function unopened(ageHours: number) {
  const own = { paymentId: newId(), organizationId: newId() };
  const terms = { packageId: 'starter', credits: 100, cents: 4_900, currency: 'usd' };
  const data = { ...own, ...terms, provider: 'stripe' as const, requestedBy: newId() };
  await payments().send(own.paymentId, { type: 'RequestPayment', data }, testContext());
  await backends.admin.query(
    `insert into operational.pending_payments (payment_id, organization_id, requested_at)
     values ($1, $2, now() - make_interval(hours => $3))`,
    [own.paymentId, own.organizationId, ageHours],
  );
  return own.paymentId;
}

async function looksAt(paymentId: string): Promise<number | null> {
  const { rows } = await backends.admin.query<{ looks: number }>(
    'select looks from operational.pending_payments where payment_id = $1',
    [paymentId],
  );
  return rows[0]?.looks ?? null;
}

describe('payments that the provider has no page for', () => {
  it('are retried, and given up after a day', async () => {
    const young = await unopened(1);
    const old = await unopened(25);
    const { kit, features } = backends.opened;
    await using _sweep = sweepPayments(kit, features.payments, { everyMs: 20 });
    await expect.poll(() => looksAt(old)).toBeNull();
    await expect.poll(() => looksAt(young)).toBeGreaterThan(1);
    const given = await payments().load(old);
    expect([statusOf(given), failureOf(given)]).toEqual(['failed', 'expired']);
    expect(statusOf(await payments().load(young))).toBe('pending');
  });
});
