import {
  CheckoutOpened,
  DisputeClosed,
  PaymentDisputed,
  type PaymentEvent,
  PaymentFailed,
  PaymentRefunded,
  PaymentRequested,
  PaymentSucceeded,
} from '@tallyhand/contracts/features/credits/payments.events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linked, openTestProjector, type TestProjector } from '../../testing/test-projector.ts';
import { paymentsProjection } from './payments.projection.ts';

const projections = [paymentsProjection];

let test: TestProjector;
beforeAll(async () => {
  test = await openTestProjector();
});
afterAll(() => test[Symbol.asyncDispose]());

type Own = { readonly paymentId: string; readonly organizationId: string };

/** The row of a payment after these events. */
async function rowAfter(rest: (own: Own) => readonly PaymentEvent[]) {
  const own = { paymentId: test.newOrganization(), organizationId: test.newOrganization() };
  const requested = PaymentRequested({
    ...own,
    packageId: 'starter',
    credits: 100,
    cents: 4_900,
    currency: 'usd',
    provider: 'test',
    requestedBy: own.organizationId,
  });
  const events = [requested, ...rest(own)].map((event) => ({ event }));
  const stored = linked(own.organizationId, '', events).map(({ link: _, ...event }) => event);
  await test.eventLog.append(`payment-${own.paymentId}`, stored, null);
  await using _running = test.project(projections);
  await test.caughtUp(projections);
  const [row] = await test.rows('payments', own.organizationId, 'payment_id');
  return row;
}

const succeeded = (own: Own) => PaymentSucceeded({ ...own, transactionId: 'pi_1', cents: 4_900 });

describe('a payment', () => {
  it('is pending, with the page where it continues', async () => {
    const row = await rowAfter((own) => [
      CheckoutOpened({ ...own, sessionId: 'cs_1', url: 'https://pay.example/1' }),
    ]);
    expect(row).toMatchObject({
      package_name: 'Starter Pack',
      credits: '100',
      cents: '4900',
      currency: 'usd',
      status: 'pending',
      checkout_url: 'https://pay.example/1',
      transaction_id: null,
    });
  });

  it('has failed, with the reason of the provider', async () => {
    const row = await rowAfter((own) => [
      PaymentFailed({ ...own, transactionId: null, code: 'card_declined' }),
    ]);
    expect(row).toMatchObject({ status: 'failed', failure_code: 'card_declined' });
  });

  it('has succeeded, after a failure too', async () => {
    const row = await rowAfter((own) => [
      PaymentFailed({ ...own, transactionId: 'pi_0', code: 'card_declined' }),
      succeeded(own),
    ]);
    expect(row).toMatchObject({ status: 'succeeded', failure_code: null, transaction_id: 'pi_1' });
  });

  it('stays a payment that succeeded when it is refunded or disputed', async () => {
    const dispute = { disputeId: 'dp_1', cents: 4_900 };
    const open = await rowAfter((own) => [
      succeeded(own),
      PaymentRefunded({ ...own, refundedCents: 1_000 }),
      PaymentDisputed({ ...own, ...dispute }),
    ]);
    expect(open).toMatchObject({
      status: 'succeeded',
      refunded_cents: '1000',
      dispute_outcome: 'open',
    });
    const won = await rowAfter((own) => [
      succeeded(own),
      PaymentDisputed({ ...own, ...dispute }),
      DisputeClosed({ ...own, disputeId: 'dp_1', outcome: 'won' }),
    ]);
    expect(won).toMatchObject({ status: 'succeeded', dispute_outcome: 'won' });
  });
});
