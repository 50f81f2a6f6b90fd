import type { TEST_ACTIONS } from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { TEST_OUTCOMES } from '@tallyhand/contracts/features/credits/payments.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Order, PaymentFact, PaymentGateway, ProviderPayment } from './payment-gateway.ts';
import {
  disputeFacts,
  endedSession,
  factsOf,
  failedIntent,
  paidSession,
  refundedCharge,
} from './stripe-events.ts';
import {
  chargeOf,
  disputeOf,
  intentOf,
  sessionOf,
  type TestPayment,
  TestWebhooks,
  testWebhookSecret,
} from './test-payments-webhooks.ts';

/** As for Stripe's pages. */
const PENDING_HOURS_MAX = 24;

type Outcome = (typeof TEST_OUTCOMES)[number];
type Action = (typeof TEST_ACTIONS)[number];
type Ending = Pick<TestPayment, 'status' | 'decline_code'>;

const SUCCEEDED: Ending = { status: 'succeeded', decline_code: null };
const failed = (decline_code: string): Ending => ({ status: 'failed', decline_code });

const ENDINGS: Readonly<Record<Outcome, Ending>> = {
  success: SUCCEEDED,
  declined: failed('generic_decline'),
  'insufficient-funds': failed('insufficient_funds'),
  'needs-authentication': { status: 'pending', decline_code: null },
};

/** The payment after an action, and the event that reports it; null if the action is impossible. */
const ACTIONS: Readonly<Record<Action, (payment: TestPayment) => Partial<TestPayment> | null>> = {
  authenticate: ({ status }) => (status === 'pending' ? SUCCEEDED : null),
  'fail-authentication': ({ status }) =>
    status === 'pending' ? failed('payment_intent_authentication_failure') : null,
  refund: ({ status, cents, refunded_cents }) =>
    status === 'succeeded' && refunded_cents < cents ? { refunded_cents: cents } : null,
  dispute: ({ status, dispute_status }) =>
    status === 'succeeded' && !dispute_status ? { dispute_status: 'needs_response' } : null,
  'win-dispute': ({ dispute_status }) =>
    dispute_status === 'needs_response' ? { dispute_status: 'won' } : null,
  'lose-dispute': ({ dispute_status }) =>
    dispute_status === 'needs_response' ? { dispute_status: 'lost' } : null,
};

/** Stripe reports a success twice: for the session and for the payment intent. */
const EVENTS: Readonly<Record<Action, readonly [string, (payment: TestPayment) => object][]>> = {
  authenticate: [
    ['payment_intent.succeeded', intentOf],
    ['checkout.session.completed', sessionOf],
  ],
  'fail-authentication': [['payment_intent.payment_failed', intentOf]],
  refund: [['charge.refunded', chargeOf]],
  dispute: [['charge.dispute.created', disputeOf]],
  'win-dispute': [['charge.dispute.closed', disputeOf]],
  'lose-dispute': [['charge.dispute.closed', disputeOf]],
};

/**
 * The built-in provider: no card is charged. It answers as requested, with the outcomes of Stripe's
 * test cards, and reports every change by signed webhooks in Stripe's shape.
 */
export class TestPayments implements PaymentGateway, AsyncDisposable {
  readonly provider = 'test';
  readonly #pool: pg.Pool;
  readonly #secret: string;
  readonly #webhooks: TestWebhooks;

  constructor(kit: Kit) {
    this.#pool = kit.pool;
    this.#secret = testWebhookSecret(kit.box);
    this.#webhooks = new TestWebhooks(kit);
  }

  async open(order: Order) {
    const payment = await inTransaction(this.#pool, async (client) => {
      const made = await insert(client, order);
      if (made?.status === 'succeeded') await this.#report(client, made, 'authenticate');
      if (made?.status === 'failed') await this.#report(client, made, 'fail-authentication');
      return made ?? (await find(client, order.paymentId));
    });
    this.#webhooks.sendNow();
    const url = payment?.status === 'pending' ? `/billing/test-checkout/${order.paymentId}` : null;
    return { sessionId: payment?.session_id ?? idOf('cs_test', order.paymentId), url };
  }

  async lookUp({ paymentId }: ProviderPayment) {
    await this.#pool.query(
      `update operational.test_payments set status = 'expired'
       where payment_id = $1 and status = 'pending'
         and created_at < now() - make_interval(hours => $2)`,
      [paymentId, PENDING_HOURS_MAX],
    );
    const payment = await find(this.#pool, paymentId);
    return payment ? factsAbout(payment) : [];
  }

  async read(body: Buffer, signature: string) {
    const { readSignedEvent } = await import('./stripe-signature.ts');
    const event = readSignedEvent(body, signature, this.#secret);
    return isRefusal(event) ? event : factsOf(event, (id) => this.#paymentOf(id));
  }

  /** Acts as the bank or provider. False if that is impossible now. */
  async act(paymentId: string, action: Action): Promise<boolean> {
    const isDone = await inTransaction(this.#pool, async (client) => {
      const payment = await find(client, paymentId, 'for update');
      const change = payment && ACTIONS[action](payment);
      if (!change) return false;
      const changed = { ...payment, ...change };
      await update(client, changed);
      await this.#report(client, changed, action);
      return true;
    });
    this.#webhooks.sendNow();
    return isDone;
  }

  /** Sets the address of the product, for the webhooks. */
  sendTo(url: string): void {
    this.#webhooks.sendTo(url);
  }

  async [Symbol.asyncDispose]() {
    await this.#webhooks[Symbol.asyncDispose]();
  }

  async #paymentOf(transactionId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ payment_id: string }>(
      'select payment_id from operational.test_payments where transaction_id = $1',
      [transactionId],
    );
    return rows[0]?.payment_id ?? null;
  }

  async #report(client: pg.ClientBase, payment: TestPayment, action: Action) {
    for (const [type, objectOf] of EVENTS[action]) {
      await this.#webhooks.enqueue(client, type, objectOf(payment));
    }
  }
}

const idOf = (kind: string, paymentId: string) =>
  `${kind}_${derivedId(paymentId, kind).replaceAll('-', '')}`;

const COLUMNS = `payment_id, session_id, transaction_id, dispute_id, cents, currency, status,
  decline_code, refunded_cents, dispute_status`;

/** Null where the payment is known already. */
async function insert(client: pg.ClientBase, order: Order): Promise<TestPayment | null> {
  const { paymentId, organizationId, cents, currency, testOutcome = 'success' } = order;
  const { status, decline_code } = ENDINGS[testOutcome];
  const ids = ['cs_test', 'pi_test', 'dp_test'].map((kind) => idOf(kind, paymentId));
  const { rows } = await client.query<TestPayment>(
    `insert into operational.test_payments
       (payment_id, organization_id, session_id, transaction_id, dispute_id, cents, currency,
        status, decline_code)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing returning ${COLUMNS}`,
    [paymentId, organizationId, ...ids, cents, currency, status, decline_code],
  );
  return rows[0] ?? null;
}

async function find(
  client: pg.ClientBase | pg.Pool,
  paymentId: string,
  lock: '' | 'for update' = '',
): Promise<TestPayment | null> {
  const { rows } = await client.query<TestPayment>(
    `select ${COLUMNS} from operational.test_payments where payment_id = $1 ${lock}`,
    [paymentId],
  );
  return rows[0] ?? null;
}

async function update(client: pg.ClientBase, payment: TestPayment) {
  await client.query(
    `update operational.test_payments set status = $2, decline_code = $3, refunded_cents = $4,
       dispute_status = $5 where payment_id = $1`,
    [
      payment.payment_id,
      payment.status,
      payment.decline_code,
      payment.refunded_cents,
      payment.dispute_status,
    ],
  );
}

/** All facts about a payment; none while it is pending. */
async function factsAbout(payment: TestPayment): Promise<PaymentFact[]> {
  const { payment_id: paymentId } = payment;
  switch (payment.status) {
    case 'pending':
      return [];
    case 'expired':
      return endedSession(sessionOf(payment), 'expired');
    case 'failed':
      return failedIntent(intentOf(payment));
    case 'succeeded':
      return [
        ...paidSession(sessionOf(payment)),
        ...(await refundedCharge(chargeOf(payment), async () => paymentId)),
        ...(payment.dispute_status ? disputeFacts(disputeOf(payment), paymentId) : []),
      ];
  }
}
