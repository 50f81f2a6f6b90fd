import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookSignatureError } from './webhooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const body = JSON.stringify({ type: 'ping', timestamp: 'now', data: { webhookId: 'ä' } });
const now = Date.parse('2026-11-23T12:00:00Z');

/** A delivery that the library of Standard Webhooks signed. */
function signed(text = body, by = secret, at = now) {
  const date = new Date(at);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(by).sign('msg_1', date, text),
  };
}

const verify = (
  headers: Parameters<typeof verifyWebhook>[1],
  text = body,
  of: string | string[] = secret,
) => verifyWebhook(text, headers, of, { now });

describe('verifyWebhook', () => {
  it('returns the event of a delivery with a valid signature', async () => {
    expect(await verify(signed())).toEqual(JSON.parse(body));
    expect(await verify(new Headers(signed()))).toMatchObject({ type: 'ping' });
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook(bytes, signed(), secret, { now })).toMatchObject({ type: 'ping' });
  });

  it('accepts headers as Node has them, in any case', async () => {
    const headers = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verify(headers)).toMatchObject({ type: 'ping' });
  });

  it('accepts one valid signature of several, and one valid secret of several', async () => {
    const other = newSecret();
    const both = `${signed(body, other)['webhook-signature']} ${signed()['webhook-signature']}`;
    expect(await verify({ ...signed(), 'webhook-signature': both })).toMatchObject({
      type: 'ping',
    });
    expect(await verify(signed(), body, [other, secret])).toMatchObject({ type: 'ping' });
  });

  it.each([
    ['another body', signed(`${body} `)],
    ['another secret', signed(body, newSecret())],
    ['another id', { ...signed(), 'webhook-id': 'msg_2' }],
    ['a signature of another version', { ...signed(), 'webhook-signature': 'v1a,AAAA' }],
    ['a signature that is no base64', { ...signed(), 'webhook-signature': 'v1,!!' }],
    ['an empty signature', { ...signed(), 'webhook-signature': 'v1,' }],
    ['no signature', { ...signed(), 'webhook-signature': undefined }],
    ['no headers', {}],
    ['a delivery of six minutes ago', signed(body, secret, now - 360_000)],
    ['a delivery of six minutes ahead', signed(body, secret, now + 360_000)],
    ['a timestamp that is no number', { ...signed(), 'webhook-timestamp': 'NaN' }],
  ])('refuses %s', async (_, headers) => {
    await expect(verify(headers)).rejects.toBeInstanceOf(WebhookSignatureError);
  });

  it('accepts what the library of Standard Webhooks accepts: a clock four minutes off', async () => {
    expect(await verify(signed(body, secret, now - 240_000))).toMatchObject({ type: 'ping' });
    expect(await verify(signed(body, secret, now + 240_000))).toMatchObject({ type: 'ping' });
  });

  it('reports an invalid secret', async () => {
    await expect(verify(signed(), body, 'whsec_')).rejects.toThrow('secret must be');
    await expect(verify(signed(), body, '')).rejects.toThrow('secret must be');
  });
});
