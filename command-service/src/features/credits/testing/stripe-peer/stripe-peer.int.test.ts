import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StripePeer, startStripePeer } from './stripe-peer.ts';

let peer: StripePeer;
beforeAll(async () => {
  peer = await startStripePeer();
});
afterAll(() => peer[Symbol.asyncDispose]());

const right = {
  mode: 'payment',
  success_url: 'http://127.0.0.1/',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '4900',
  'line_items[0][price_data][product_data][name]': 'Starter Pack',
};

type Body = { id: string; url: string; error: { type: string; code?: string; param?: string } };

async function create(
  parameters: Record<string, string | undefined>,
  headers: Record<string, string> = {},
) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const response = await fetch(`${peer.url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${peer.secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': Stripe.API_VERSION,
      ...headers,
    },
    body: new URLSearchParams(given as [string, string][]).toString(),
  });
  const body = (await response.json()) as Body;
  return { status: response.status, body, id: response.headers.get('request-id') };
}

describe('the local peer of Stripe', () => {
  it('makes a session from the published parameters', async () => {
    const { status, body, id } = await create(right);
    expect([status, id]).toEqual([200, expect.stringMatching(/^req_\w+$/)]);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cs_test_\w+$/),
      object: 'checkout.session',
      status: 'open',
      amount_total: 4_900,
      url: expect.stringContaining(peer.url),
    });
  });
  it.each([
    [{ colour: 'red' }, 'parameter_unknown', 'colour'],
    [{ 'line_items[0][amount]': '1' }, 'parameter_unknown', 'line_items[0][amount]'],
    [{ 'metadata[a][b]': '1' }, undefined, 'metadata[a]'],
    [{ mode: undefined }, 'parameter_missing', 'mode'],
    [{ success_url: undefined }, 'parameter_missing', 'success_url'],
    [{ success_url: 'billing' }, 'url_invalid', 'success_url'],
    [{ client_reference_id: '' }, 'parameter_invalid_empty', 'client_reference_id'],
    [{ 'line_items[0][quantity]': '1.5' }, 'parameter_invalid_integer', 'line_items[0][quantity]'],
    [{ 'line_items[0][price_data][unit_amount]': '49' }, 'amount_too_small', 'line_items'],
    [{ expires_at: '1' }, undefined, 'expires_at'],
    [{ customer: 'cus_1' }, undefined, 'customer'],
  ])('refuses %j', async (changes: Record<string, string | undefined>, code, param) => {
    const { status, body } = await create({ ...right, ...changes });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(body.error.code).toBe(code);
  });
  it('refuses a wrong key, and accepts the right one in both forms', async () => {
    const basic = `Basic ${Buffer.from(`${peer.secretKey}:`).toString('base64')}`;
    expect((await create(right, { authorization: basic })).status).toBe(200);
    expect((await create(right, { authorization: 'Bearer sk_test_wrong' })).status).toBe(401);
    expect((await create(right, { authorization: '' })).status).toBe(401);
  });
  it('keeps its first answer to an idempotency key, and refuses another request with it', async () => {
    const key = { 'idempotency-key': 'the-same' };
    const first = await create(right, key);
    expect((await create(right, key)).body).toEqual(first.body);
    const other = await create({ ...right, client_reference_id: 'another' }, key);
    expect([other.status, other.body.error.type]).toEqual([400, 'idempotency_error']);
  });
  it('does not store refusals: the request can be corrected under its key', async () => {
    const key = { 'idempotency-key': 'to-be-corrected' };
    expect((await create({ ...right, mode: 'shopping' }, key)).status).toBe(400);
    expect((await create(right, key)).status).toBe(200);
  });
  it('has a page on which a browser pays and comes back', async () => {
    const { body } = await create(right);
    expect(await (await fetch(body.url)).text()).toContain('Pay');
    const paid = await fetch(`${body.url}/pay`, { method: 'POST', redirect: 'manual' });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, right.success_url]);
    expect(peer.account.session(body.id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
    });
  });
});
