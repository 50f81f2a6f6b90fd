import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf } from './stripe-events.ts';

const paymentId = derivedId('payment');
const metadata = { paymentId };
const known = async (transactionId: string) => (transactionId === 'pi_1' ? paymentId : null);
const facts = (type: string, object: unknown) => factsOf({ type, object }, known);

const session = {
  id: 'cs_test_1',
  payment_status: 'paid',
  payment_intent: 'pi_1',
  amount_total: 19_900,
  currency: 'usd',
  metadata,
};
const intent = { id: 'pi_1', amount_received: 19_900, currency: 'usd', metadata };
const charge = { id: 'ch_1', payment_intent: 'pi_1', currency: 'usd', amount_refunded: 500 };
const dispute = { id: 'du_1', payment_intent: 'pi_1', amount: 19_900, status: 'needs_response' };

const succeeded = { paymentId, kind: 'succeeded', transactionId: 'pi_1', cents: 19_900 };
const failed = (code: string) => ({ paymentId, kind: 'failed', transactionId: 'pi_1', code });
const closed = (outcome: string) => ({
  paymentId,
  kind: 'dispute-closed',
  disputeId: 'du_1',
  outcome,
});

describe('a checkout session', () => {
  it('that was completed and paid is a success', async () => {
    expect(await facts('checkout.session.completed', session)).toEqual([succeeded]);
  });
  it('that is completed while the bank has not answered reports nothing yet', async () => {
    const unpaid = { ...session, payment_status: 'unpaid' };
    expect(await facts('checkout.session.completed', unpaid)).toEqual([]);
  });
  it('that the bank paid or refused later has ended', async () => {
    const unpaid = { ...session, payment_status: 'unpaid' };
    expect(await facts('checkout.session.async_payment_succeeded', session)).toEqual([succeeded]);
    expect(await facts('checkout.session.async_payment_failed', unpaid)).toEqual([
      failed('async_payment_failed'),
    ]);
  });
  it('that expired has failed, whether or not the customer tried to pay', async () => {
    const untouched = { ...session, payment_intent: null };
    expect(await facts('checkout.session.expired', session)).toEqual([failed('expired')]);
    expect(await facts('checkout.session.expired', untouched)).toEqual([
      { ...failed('expired'), transactionId: null },
    ]);
  });
  it('is read with its payment intent expanded too', async () => {
    const expanded = { ...session, payment_intent: intent };
    expect(await facts('checkout.session.completed', expanded)).toEqual([succeeded]);
  });
});

describe('a payment intent', () => {
  it('that succeeded is a success with the received amount', async () => {
    expect(await facts('payment_intent.succeeded', intent)).toEqual([succeeded]);
  });
  it.each([
    [{ code: 'card_declined', decline_code: 'insufficient_funds' }, 'insufficient_funds'],
    [{ code: 'card_declined', decline_code: 'generic_decline' }, 'card_declined'],
    [{ code: 'expired_card' }, 'expired_card'],
    [{ code: 'with blanks <b>' }, 'payment_failed'],
    [null, 'payment_failed'],
  ])('that failed reports the most specific code: %j', async (last_payment_error, code) => {
    const object = { ...intent, last_payment_error };
    expect(await facts('payment_intent.payment_failed', object)).toEqual([failed(code)]);
  });
});

describe('a refund', () => {
  const refunded = { paymentId, kind: 'refunded', refundedCents: 500 };

  it('reports the total refunded so far', async () => {
    expect(await facts('charge.refunded', { ...charge, metadata })).toEqual([refunded]);
  });
  it('is found by the transaction if the charge has no metadata', async () => {
    expect(await facts('charge.refunded', charge)).toEqual([refunded]);
  });
});

describe('a dispute', () => {
  it('is found by the transaction, as it carries no metadata', async () => {
    expect(await facts('charge.dispute.created', dispute)).toEqual([
      { paymentId, kind: 'disputed', disputeId: 'du_1', cents: 19_900 },
    ]);
  });
  it.each([
    ['won', 'won'],
    ['warning_closed', 'won'],
    ['lost', 'lost'],
  ])('that is closed as %s is %s', async (status, outcome) => {
    expect(await facts('charge.dispute.closed', { ...dispute, status })).toEqual([closed(outcome)]);
  });
  it('that was prevented is won if it was blocked, otherwise lost', async () => {
    const prevented = (case_type: string) => ({
      ...dispute,
      status: 'prevented',
      payment_method_details: { type: 'card', card: { brand: 'visa', case_type } },
    });
    expect(await facts('charge.dispute.closed', prevented('block'))).toEqual([closed('won')]);
    expect(await facts('charge.dispute.closed', prevented('resolution'))).toEqual([closed('lost')]);
  });
  it('that is won is reported when the funds return, too', async () => {
    const object = { ...dispute, status: 'won' };
    expect(await facts('charge.dispute.funds_reinstated', object)).toEqual([closed('won')]);
  });
});

describe('events about other payments', () => {
  it.each([
    ['customer.created', { id: 'cus_1', metadata }],
    ['constructor', session],
    ['__proto__', session],
    ['checkout.session.completed', { ...session, metadata: {} }],
    ['checkout.session.completed', { ...session, metadata: { paymentId: 'order 66' } }],
    ['checkout.session.completed', { ...session, currency: 'jpy' }],
    ['checkout.session.completed', { ...session, amount_total: -1 }],
    ['checkout.session.completed', { ...session, amount_total: 0.5 }],
    ['checkout.session.completed', { ...session, amount_total: 1e300 }],
    ['payment_intent.succeeded', { ...intent, id: '../refunds' }],
    ['payment_intent.succeeded', { ...intent, currency: 'eur' }],
    ['charge.refunded', { ...charge, payment_intent: 'pi_of_another' }],
    ['charge.refunded', { ...charge, payment_intent: null }],
    ['charge.dispute.created', { ...dispute, payment_intent: 'pi_of_another' }],
    ['charge.dispute.created', { ...dispute, payment_intent: null }],
  ])('report nothing: %s %j', async (type, object) => {
    expect(await facts(type, object)).toEqual([]);
  });
  it('report nothing and throw nothing, whatever the object is', async () => {
    const types = fc.constantFrom(
      ...['completed', 'expired', 'async_payment_failed'].map((end) => `checkout.session.${end}`),
      'payment_intent.succeeded',
      'payment_intent.payment_failed',
      'charge.refunded',
      ...['created', 'updated', 'closed'].map((end) => `charge.dispute.${end}`),
    );
    const keys = ['id', 'metadata', 'payment_intent', 'amount', 'status', 'currency'];
    const object = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...keys), fc.anything({ withNullPrototype: true })),
    );
    await fc.assert(
      fc.asyncProperty(types, object, async (type, given) => {
        expect(await facts(type, given)).toEqual([]);
      }),
    );
  });
});
