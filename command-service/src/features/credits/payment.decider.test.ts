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
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import {
  creditsDue,
  failureOf,
  type PaymentCommand,
  paymentStream,
  statusOf,
} from './payment.decider.ts';

const own = {
  paymentId: '0193a1b2-0000-8000-8000-000000000007',
  organizationId: '0193a1b2-0000-7000-8000-000000000001',
};
const cents = 4_900;
const terms = {
  ...own,
  packageId: 'starter',
  credits: 100,
  cents,
  currency: 'usd',
  provider: 'test' as const,
  requestedBy: '0193a1b2-0000-7000-8000-000000000002',
};

const requested = PaymentRequested(terms);
const opened = CheckoutOpened({ ...own, sessionId: 'cs_1', url: null });
const succeeded = PaymentSucceeded({ ...own, transactionId: 'pi_1', cents });
const failed = (code = 'card_declined') => PaymentFailed({ ...own, transactionId: 'pi_1', code });
const refunded = (refundedCents: number) => PaymentRefunded({ ...own, refundedCents });
const disputed = (disputeId = 'dp_1') => PaymentDisputed({ ...own, disputeId, cents });
const closed = (outcome: 'won' | 'lost', disputeId = 'dp_1') =>
  DisputeClosed({ ...own, disputeId, outcome });

const request: PaymentCommand = { type: 'RequestPayment', data: terms };
const open: PaymentCommand = { type: 'OpenCheckout', data: { sessionId: 'cs_1', url: null } };
const succeed = (paid = cents): PaymentCommand => ({
  type: 'RecordSuccess',
  data: { transactionId: 'pi_1', cents: paid },
});
const fail = (code = 'card_declined'): PaymentCommand => ({
  type: 'RecordFailure',
  data: { transactionId: 'pi_1', code },
});
const refund = (refundedCents: number): PaymentCommand => ({
  type: 'RecordRefund',
  data: { refundedCents },
});
const dispute = (disputeId = 'dp_1'): PaymentCommand => ({
  type: 'RecordDispute',
  data: { disputeId, cents },
});
const close = (outcome: 'won' | 'lost', disputeId = 'dp_1'): PaymentCommand => ({
  type: 'CloseDispute',
  data: { disputeId, outcome },
});

const given = rulesOf(paymentStream);
const statusAfter = (...history: PaymentEvent[]) => statusOf(given(...history).state());
const dueAfter = (...history: PaymentEvent[]) => creditsDue(given(...history).state());
const differs = (toldCents: number) =>
  ['payment-amount-differs', { expectedCents: cents, toldCents }] as const;

describe('RequestPayment', () => {
  it('records the order', () => {
    given().when(request).thenAppended(requested);
  });
  it('does nothing the second time it arrives', () => {
    given(requested, succeeded).when(request).thenNothing();
  });
});

describe('OpenCheckout', () => {
  it('records the checkout page', () => {
    given(requested).when(open).thenAppended(opened);
  });
  it('keeps the first page', () => {
    const other = { sessionId: 'cs_2', url: 'https://pay.example.com' };
    given(requested, opened).when({ type: 'OpenCheckout', data: other }).thenNothing();
  });
});

describe('every report of the provider', () => {
  it.each([open, succeed(), fail(), refund(1), dispute(), close('lost')])(
    'is refused for an unknown payment: $type',
    (command) => {
      given().when(command).thenRefused('not-found', { what: 'payment' });
    },
  );
});

describe('RecordSuccess', () => {
  it('makes the credits due', () => {
    given(requested, opened).when(succeed()).thenAppended(succeeded);
    expect(dueAfter(requested, succeeded)).toMatchObject({ bought: 100, reversed: 0 });
    expect(statusAfter(requested, succeeded)).toBe('succeeded');
  });
  it('counts after attempts that failed', () => {
    given(requested, failed()).when(succeed()).thenAppended(succeeded);
    expect(statusAfter(requested, failed(), succeeded)).toBe('succeeded');
  });
  it('does nothing the second time it arrives, under whatever transaction', () => {
    given(requested, succeeded).when(succeed()).thenNothing();
    const other = { transactionId: 'pi_2', cents };
    given(requested, succeeded).when({ type: 'RecordSuccess', data: other }).thenNothing();
  });
  it.each([cents - 1, cents + 1, 0, -cents])('is refused for %i cents', (paid) => {
    given(requested)
      .when(succeed(paid))
      .thenRefused(...differs(paid));
  });
});

describe('RecordFailure', () => {
  it('records the code, and that of a further attempt', () => {
    given(requested).when(fail()).thenAppended(failed());
    given(requested, failed())
      .when(fail('insufficient_funds'))
      .thenAppended(failed('insufficient_funds'));
    const state = given(requested, failed(), failed('insufficient_funds')).state();
    expect([statusOf(state), failureOf(state)]).toEqual(['failed', 'insufficient_funds']);
    expect(creditsDue(state)).toMatchObject({ bought: 0, reversed: 0 });
  });
  it('does nothing the second time it arrives, nor after another attempt failed', () => {
    given(requested, failed()).when(fail()).thenNothing();
    given(requested, failed(), failed('insufficient_funds')).when(fail()).thenNothing();
  });
  it('does nothing after the success', () => {
    given(requested, succeeded).when(fail()).thenNothing();
  });
});

describe('RecordRefund', () => {
  it.each([
    [1, 0],
    [49, 1],
    [2_450, 50],
    [4_899, 99],
    [4_900, 100],
  ])('of %i cents withdraws %i whole credits', (refundedCents, reversed) => {
    given(requested, succeeded).when(refund(refundedCents)).thenAppended(refunded(refundedCents));
    expect(dueAfter(requested, succeeded, refunded(refundedCents))).toEqual({
      bought: 100,
      reversed,
      cause: 'refund',
    });
    expect(statusAfter(requested, succeeded, refunded(refundedCents))).toBe('refunded');
  });
  it('only grows: an older report does nothing', () => {
    given(requested, succeeded, refunded(2_000)).when(refund(3_000)).thenAppended(refunded(3_000));
    given(requested, succeeded, refunded(2_000)).when(refund(2_000)).thenNothing();
    given(requested, succeeded, refunded(2_000)).when(refund(1_000)).thenNothing();
    given(requested, succeeded).when(refund(0)).thenNothing();
  });
  it.each([cents + 1, -1, 0.5, Number.NaN])('is refused for %d cents', (toldCents) => {
    given(requested, succeeded)
      .when(refund(toldCents))
      .thenRefused(...differs(toldCents));
  });
  it('is remembered when it comes before the success', () => {
    given(requested).when(refund(cents)).thenAppended(refunded(cents));
    expect(dueAfter(requested, refunded(cents)).bought).toBe(0);
    expect(dueAfter(requested, refunded(cents), succeeded)).toMatchObject({
      bought: 100,
      reversed: 100,
    });
  });
});

describe('RecordDispute', () => {
  it('withdraws all credits while it is open', () => {
    given(requested, succeeded).when(dispute()).thenAppended(disputed());
    expect(dueAfter(requested, succeeded, refunded(49), disputed())).toEqual({
      bought: 100,
      reversed: 100,
      cause: 'dispute',
    });
    expect(statusAfter(requested, succeeded, disputed())).toBe('disputed');
  });
  it('is remembered when it comes before the success', () => {
    given(requested).when(dispute()).thenAppended(disputed());
    expect(dueAfter(requested, disputed(), succeeded)).toMatchObject({ reversed: 100 });
  });
  it('does nothing the second time it arrives, nor when it was closed before', () => {
    given(requested, succeeded, disputed()).when(dispute()).thenNothing();
    given(requested, succeeded, closed('won')).when(dispute()).thenNothing();
  });
});

describe('CloseDispute', () => {
  it('restores the credits when it is won, except refunded ones', () => {
    given(requested, succeeded, disputed()).when(close('won')).thenAppended(closed('won'));
    const history = [requested, succeeded, refunded(490), disputed(), closed('won')] as const;
    expect(dueAfter(...history)).toEqual({ bought: 100, reversed: 10, cause: 'refund' });
    expect(statusAfter(requested, succeeded, disputed(), closed('won'))).toBe('succeeded');
  });
  it('leaves all credits withdrawn when it is lost', () => {
    const history = [requested, succeeded, disputed(), closed('lost')] as const;
    expect(dueAfter(...history)).toMatchObject({ reversed: 100 });
    expect(statusAfter(...history)).toBe('disputed');
  });
  it('restores nothing while another dispute is open', () => {
    const history = [requested, succeeded, disputed(), disputed('dp_2'), closed('won')] as const;
    expect(dueAfter(...history)).toMatchObject({ reversed: 100, cause: 'dispute' });
  });
  it('is remembered when it comes before the dispute', () => {
    given(requested).when(close('lost')).thenAppended(closed('lost'));
    expect(dueAfter(requested, closed('lost'), succeeded)).toMatchObject({ reversed: 100 });
  });
  it('does nothing the second time it arrives; a contradiction counts as lost', () => {
    given(requested, closed('won')).when(close('won')).thenNothing();
    given(requested, closed('won')).when(close('lost')).thenAppended(closed('lost'));
    given(requested, closed('lost')).when(close('won')).thenNothing();
  });
});
