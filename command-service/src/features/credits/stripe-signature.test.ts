import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { describe, expect, it } from 'vitest';
import { factsOf, type StripeEvent } from './stripe-events.ts';
import { readSignedEvent, signedHeader } from './stripe-signature.ts';

const secret = 'whsec_of_the_test';
const charge = { id: 'ch_1', payment_intent: 'pi_1', currency: 'usd', amount_refunded: 500 };

describe('a signed webhook', () => {
  const body = Buffer.from(JSON.stringify({ type: 'charge.refunded', data: { object: charge } }));
  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  const signed = (now?: Date) => signedHeader(body.toString(), secret, now);
  const codeOf = (result: StripeEvent | object) => (isRefusal(result) ? result.code : null);

  it('is read when its signature is right', () => {
    const event = readSignedEvent(body, signed(), secret);
    expect(event).toEqual({ type: 'charge.refunded', object: charge });
  });
  it('is read again when it is repeated, with the same result', () => {
    const header = signed();
    expect(readSignedEvent(body, header, secret)).toEqual(readSignedEvent(body, header, secret));
  });
  it('is accepted up to five minutes late, and refused after that', () => {
    expect(codeOf(readSignedEvent(body, signed(secondsAgo(295)), secret))).toBeNull();
    expect(codeOf(readSignedEvent(body, signed(secondsAgo(305)), secret))).toBe(
      'webhook-not-signed',
    );
  });
  it('is refused when it was signed more than five minutes from now', () => {
    expect(codeOf(readSignedEvent(body, signed(secondsAgo(-290)), secret))).toBeNull();
    expect(codeOf(readSignedEvent(body, signed(secondsAgo(-310)), secret))).toBe(
      'webhook-not-signed',
    );
  });
  it('is accepted with one valid signature of several, as during a change of the secret', () => {
    const both = `${signed()},v1=${'0'.repeat(64)}`;
    expect(codeOf(readSignedEvent(body, both, secret))).toBeNull();
  });
  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['no signature at all', 'hello'],
    ['without a time', signed().replace(/^t=\d+,/, '')],
    ['without the signature', signed().replace(/,v1=.*/, '')],
    ['of another scheme', signed().replace('v1=', 'v0=')],
    ['made with another secret', signedHeader(body.toString(), 'whsec_of_another', new Date())],
    ['of another body', signedHeader('{}', secret, new Date())],
    ['given another time', signed(secondsAgo(400)).replace(/t=\d+/, signed().split(',')[0] ?? '')],
  ])('is refused when its signature is %s', (_, header) => {
    expect(codeOf(readSignedEvent(body, header, secret))).toBe('webhook-not-signed');
  });
  it('is refused when one byte of the body was altered', () => {
    const altered = Buffer.from(body.toString().replace('500', '501'));
    expect(codeOf(readSignedEvent(altered, signed(), secret))).toBe('webhook-not-signed');
  });
  it('is refused when there is no secret to check it with', () => {
    expect(codeOf(readSignedEvent(body, signedHeader(body.toString(), ' '), ' '))).toBe(
      'webhook-not-signed',
    );
  });
  it.each([
    'not json',
    'null',
    '[]',
    '{"type":3}',
    '{"object":"v2.core.event","type":"a"}',
    '['.repeat(100_000),
  ])('reports nothing when its body is not an event: %#', async (text) => {
    const event = readSignedEvent(Buffer.from(text), signedHeader(text, secret), secret);
    if (isRefusal(event)) throw new Error(event.code);
    expect(await factsOf(event, async () => null)).toEqual([]);
  });
});
