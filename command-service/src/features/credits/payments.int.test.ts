import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedKit, openKit } from '../../app/open-kit.ts';
import { openTestKit, type TestKit, testContext } from '../../kit/testing/backends.ts';
import type { PaymentFact } from './payment-gateway.ts';

let backends: TestKit;
let other: OpenedKit;

beforeAll(async () => {
  backends = await openTestKit();
  other = await openKit(backends.config);
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await backends[Symbol.asyncDispose]();
});

const CENTS = 4_900;

/** A pending payment in a new organization. */
async function newPayment() {
  const own = { paymentId: newId(), organizationId: newId() };
  const asked = { ...own, credits: 100, amount: 49, requestedBy: newId() };
  const { payments } = backends.opened.features;
  const answer = await payments.request(testContext(), {
    ...asked,
    testOutcome: 'needs-authentication',
  });
  expect(isRefusal(answer)).toBe(false);
  return own;
}

/** The life of one payment, as its provider reports it. */
const HISTORY = [
  { kind: 'failed', transactionId: 'pi_1', code: 'card_declined' },
  { kind: 'succeeded', transactionId: 'pi_1', cents: CENTS },
  { kind: 'refunded', refundedCents: 490 },
  { kind: 'refunded', refundedCents: 980 },
  { kind: 'disputed', disputeId: 'dp_1', cents: CENTS },
  { kind: 'dispute-closed', disputeId: 'dp_1', outcome: 'won' },
] as const;

async function ledgerOf(organizationId: string) {
  const found: LedgerEvent[] = [];
  const { eventLog } = backends.opened.kit.streams;
  for await (const { type, data } of eventLog.read(`ledger-${organizationId}`, 0n)) {
    const kind = ledgerEvents[type as keyof typeof ledgerEvents];
    found.push({ type, data: kind.schema.parse(data) } as LedgerEvent);
  }
  return found;
}

describe("a payment's facts", () => {
  it('add up to one purchase and the same balance in every order, from two processes at once', async () => {
    const repeated = fc
      .array(fc.constantFrom(...HISTORY), { maxLength: 6 })
      .chain((again) =>
        fc.shuffledSubarray([...HISTORY, ...again], { minLength: HISTORY.length + again.length }),
      );
    const property = fc.asyncProperty(repeated, fc.boolean(), async (facts, atOnce) => {
      const { paymentId, organizationId } = await newPayment();
      const kits = [backends.opened, other];
      const tell = async (fact: (typeof HISTORY)[number], i: number) => {
        const { payments } = (kits[i % kits.length] ?? other).features;
        const told: PaymentFact = { paymentId, ...fact };
        expect(await payments.apply(testContext(), told)).toBeNull();
      };
      if (atOnce) await Promise.all(facts.map(tell));
      else for (const [i, fact] of facts.entries()) await tell(fact, i);

      const ledger = await ledgerOf(organizationId);
      const bought = ledger.filter(({ type }) => type === 'CreditsPurchased');
      expect(bought.map(({ data }) => data)).toMatchObject([{ amount: 100, paidCents: CENTS }]);
      expect(await other.features.credits.available(organizationId)).toBe(80);
    });
    await fc.assert(property, reportedRuns(15, 1_000));
  }, 600_000);

  it('are refused for an invented payment, and for another amount', async () => {
    const { payments } = backends.opened.features;
    const { paymentId, organizationId } = await newPayment();
    const success = { kind: 'succeeded', transactionId: 'pi_1' } as const;
    const invented = await payments.apply(testContext(), {
      ...success,
      paymentId: newId(),
      cents: CENTS,
    });
    expect(invented).toMatchObject({ code: 'not-found' });
    const wrong = await payments.apply(testContext(), { ...success, paymentId, cents: 1 });
    expect(wrong).toMatchObject({
      code: 'payment-amount-differs',
      params: { expectedCents: CENTS, toldCents: 1 },
    });
    expect(await ledgerOf(organizationId)).toEqual([]);
  });
});
