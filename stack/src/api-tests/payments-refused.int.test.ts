import { testWebhookSecret } from '@tallyhand/command-service/features/credits/test-payments-webhooks';
import {
  actOnTestPayment,
  confirmPurchase,
  purchaseCredits,
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import {
  eventText,
  purchasesOf,
  sendWebhook,
  signatureOf,
  starter,
} from '../testing/one-of-each.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let eventLog: EventLog;
let client: ApiClient;
let organizationId = '';
let admin: ReturnType<typeof purchasesOf>;
let secret = '';

beforeAll(async () => {
  product = await sharedProduct();
  eventLog = openEventLog(product.config.eventStoreUrl);
  secret = testWebhookSecret(sealedBox(product.config.masterKey));
  const registered = await registerOrganization(product.url);
  client = registered.client;
  organizationId = registered.user.organization.id;
  admin = purchasesOf(client);
});
afterAll(async () => {
  await eventLog.close();
});

/** The refused calls in the audit log. */
async function refusedCalls(stream: string) {
  const found: Record<string, unknown>[] = [];
  for await (const { type, data } of eventLog.read(stream, 0n)) {
    if (type === 'CallRefused') found.push(data);
  }
  return found;
}

const expectRecorded = (expected: object, stream = `audit-${organizationId}`) =>
  expect.poll(() => refusedCalls(stream)).toContainEqual(expect.objectContaining(expected));

const call = (endpoint: Endpoint, body: unknown, by = client) =>
  by.call<Problem>(endpoint, { body });

/** The test bought nothing. */
async function expectUntouched() {
  expect(await admin.balance()).toBe(100);
  const bought = (await admin.payments()).filter(({ status }) => status !== 'pending');
  expect(bought).toEqual([]);
}

describe('purchase-credits', () => {
  it.each([
    [{ credits: 100, amount: 48 }, ['amount']],
    [{ credits: 100, amount: 49.01 }, ['amount']],
    [{ credits: 5_000, amount: 49 }, ['amount']],
    [{ credits: 101, amount: 49 }, ['credits']],
    [{ packageId: 'starter', credits: 500 }, ['credits']],
    [{ packageId: 'starter', amount: 48 }, ['amount']],
  ])('refuses %j, which is no package', async (body, paths) => {
    const refused = await call(purchaseCredits, body);
    expect(refused.body).toMatchObject({ status: 422, code: 'no-such-package' });
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(paths);
    await expectRecorded({ call: 'purchaseCredits', code: 'no-such-package' });
    await expectUntouched();
  });

  it.each([
    [{ packageId: 'unknown' }, 'packageId'],
    [{ packageId: 'unknown', credits: 100, amount: 49 }, 'packageId'],
    [{ credits: 100 }, 'amount'],
    [{ amount: 49 }, 'credits'],
    [{ credits: -100, amount: 49 }, 'credits'],
    [{ credits: 0.5, amount: 49 }, 'credits'],
    [{ credits: 1e300, amount: 49 }, 'credits'],
    [{ credits: '100', amount: 49 }, 'credits'],
    [{ credits: 100, amount: -49 }, 'amount'],
    [{ credits: 100, amount: 1e300 }, 'amount'],
    [{ credits: 100, amount: '49' }, 'amount'],
    [{ ...starter, testOutcome: 'free' }, 'testOutcome'],
    [{ ...starter, organizationId: newId() }, 'organizationId'],
  ])('refuses %j and names the field', async (body, path) => {
    const refused = await call(purchaseCredits, body);
    expect(refused.status).toBe(422);
    expect(new Set(refused.body.errors?.map((each) => each.path))).toEqual(new Set([path]));
    await expectUntouched();
  });

  it('treats 49.00 as 49', async () => {
    const body = '{"credits":100,"amount":49.00,"testOutcome":"needs-authentication"}';
    const headers = { 'content-type': 'application/json' };
    const answer = await client.send('POST', purchaseCredits.path, { raw: body, headers });
    expect(answer.status).toBe(201);
  });

  it('records fields that break a rule for the audit log', async () => {
    await call(purchaseCredits, { credits: -1, amount: 49 });
    await expectRecorded({ call: 'purchaseCredits', code: 'validation-failed' });
  });
});

describe('a payment of others', () => {
  it("is as unknown as an invented one, and recorded in the caller's organization", async () => {
    const { paymentIntentId: id } = await admin.buy('needs-authentication');
    const other = await registerOrganization(product.url);
    const theirs = purchasesOf(other.client);
    for (const asked of [id, newId(), 'pi_mock_123', '']) {
      const refused = await theirs.confirm(asked);
      expect([404, 422]).toContain(refused.status);
      if (asked === id) expect(refused.status).toBe(404);
      const acted = await theirs.act(asked === '' ? 'x' : asked, 'authenticate');
      expect(acted.status).toBe(404);
    }
    const stream = `audit-${other.user.organization.id}`;
    const params = { what: 'payment', paymentId: id };
    await expectRecorded({ call: 'confirmPurchase', code: 'not-found', params }, stream);
    await expectRecorded({ call: 'actOnTestPayment', code: 'not-found', params }, stream);
    expect(await theirs.balance()).toBe(100);
    await expectUntouched();
  });

  it('is refused to members who are not Admins', async () => {
    const { paymentIntentId } = await admin.buy('needs-authentication');
    const members = await membersOfEachRole(client, product.url);
    for (const [role, member] of members) {
      if (role === 'Admin') continue;
      const theirs = purchasesOf(member);
      expect((await call(purchaseCredits, starter, member)).status, role).toBe(403);
      expect((await theirs.confirm(paymentIntentId)).status, role).toBe(403);
      expect((await theirs.act(paymentIntentId, 'authenticate')).status, role).toBe(403);
    }
    await expectRecorded({ call: 'purchaseCredits', code: 'role-not-allowed' });
    await expectUntouched();
  });
});

describe('confirm-purchase', () => {
  it('refuses credits that were not bought', async () => {
    const { paymentIntentId: id } = await admin.buy('needs-authentication');
    const refused = await admin.confirm(id, 5_000);
    expect(refused.body).toMatchObject({ status: 422, code: 'credits-not-bought' });
    await expectRecorded({ code: 'credits-not-bought', params: { paymentId: id } });
    await expectUntouched();
  });

  it.each([-100, 0, 0.5, 1e300, '100', null])('refuses %j as credits', async (credits) => {
    const body = { paymentIntentId: newId(), credits };
    expect((await call(confirmPurchase, body)).status).toBe(422);
  });
});

describe('actions on test payments', () => {
  it('are limited to the declared ones', async () => {
    const { paymentIntentId: id } = await admin.buy('needs-authentication');
    expect((await admin.act(id, 'succeed')).status).toBe(422);
    for (const action of ['refund', 'dispute', 'win-dispute', 'lose-dispute']) {
      expect((await admin.act(id, action)).body, action).toMatchObject({
        status: 409,
        code: 'not-a-test-payment',
      });
    }
    const refused = await client.call<Problem>(actOnTestPayment, { params: { id } });
    expect(refused.status).toBe(422);
    await expectUntouched();
  });
});

describe('a webhook', () => {
  const success = (paymentId: string, cents = 4_900) =>
    eventText({
      type: 'payment_intent.succeeded',
      object: { id: 'pi_x', amount_received: cents, currency: 'usd', metadata: { paymentId } },
    });
  const send = (body: string, headers: Record<string, string> = {}) =>
    sendWebhook(product.url, receiveTestPaymentsWebhook, body, headers);
  const signed = (body: string, key = secret, secondsAgo = 0) => ({
    'stripe-signature': signatureOf(body, key, secondsAgo),
  });
  const pending = async () => (await admin.buy('needs-authentication')).paymentIntentId;

  it('is refused when its signature is missing, forged, old, from the future or of another body', async () => {
    const id = await pending();
    const body = success(id);
    const refused = [
      await send(body),
      await send(body, { 'stripe-signature': '' }),
      await send(body, { 'stripe-signature': 't=,v1=' }),
      await send(body, signed(body, 'whsec_guessed')),
      await send(body, signed(body, secret, 301)),
      await send(body, signed(body, secret, -330)),
      await send(body, signed(success(newId()))),
      await send(`${body} `, signed(body)),
    ];
    for (const answer of refused) {
      expect(answer.body).toMatchObject({ status: 400, code: 'webhook-not-signed' });
    }
    const code = 'webhook-not-signed';
    const recorded = { call: 'receiveTestPaymentsWebhook', code, organizationId: null };
    await expectRecorded(recorded, 'audit-platform');
    expect((await admin.find(id))?.status).toBe('pending');
    await expectUntouched();
  });

  it('that is replayed in time has no further effect', async () => {
    const own = purchasesOf((await registerOrganization(product.url)).client);
    const { paymentIntentId: id } = await own.buy('needs-authentication');
    const body = success(id);
    const headers = signed(body);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(body, headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await own.expectEntries(id, ['purchased 100']);
    expect(await own.balance()).toBe(200);
  });

  it('is accepted, without effect, when it concerns something else', async () => {
    const foreign = [
      success(newId()),
      success('pi_mock'),
      eventText({ type: 'customer.created', object: { id: 'cus_1' } }),
      eventText({ type: 'charge.refunded', object: { id: 'ch_1' } }),
      eventText({
        type: 'charge.dispute.created',
        object: { id: 'dp_x', amount: 1, status: 'needs_response', payment_intent: 'pi_unknown' },
      }),
      '',
      'null',
      '[]',
      '{"type":1}',
      'no json at all',
    ];
    for (const body of foreign) {
      const { status, body: answer } = await send(body, signed(body));
      expect([status, answer], body).toEqual([200, { received: true }]);
    }
    await expectRecorded(
      { call: 'receiveTestPaymentsWebhook', code: 'not-found', organizationId: null },
      'audit-platform',
    );
    await expectUntouched();
  });

  it('of a different amount has no effect, and is recorded', async () => {
    const id = await pending();
    for (const cents of [1, 4_899, 490_000]) {
      const body = success(id, cents);
      expect((await send(body, signed(body))).status).toBe(200);
    }
    await expectRecorded({ call: 'receiveTestPaymentsWebhook', code: 'payment-amount-differs' });
    expect((await admin.find(id))?.status).toBe('pending');
    await expectUntouched();
  });

  it('may come from anywhere, in any content type, and is never a fault', async () => {
    const id = await pending();
    const body = success(id);
    const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await send(body, from)).status).toBe(400);
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'no/type; charset=x', ''];
    for (const type of types) {
      const { status } = await send(body, { ...from, 'content-type': type });
      expect([400, 415], type).toContain(status);
    }
    for (const hostile of ['\u0000', '{"__proto__":1}', '['.repeat(10_000), 'x'.repeat(100_000)]) {
      expect((await send(hostile)).status).toBe(400);
      expect((await send(hostile, signed(hostile))).status).toBe(200);
    }
    const large = 'x'.repeat(300_000);
    expect((await send(large, signed(large))).status).toBe(413);
    await expectUntouched();
  });

  it('of an unused provider is not found', async () => {
    const body = success(await pending());
    const answer = await sendWebhook(product.url, receiveStripeWebhook, body, signed(body));
    expect(answer.status).toBe(404);
  });
});
