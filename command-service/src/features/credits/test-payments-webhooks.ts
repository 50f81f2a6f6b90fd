import { receiveTestPaymentsWebhook } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { errorFields } from '@tallyhand/service-kit/log';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';

/** For those that a process left that died: others are sent when they are due. */
const EVERY_MS = 10_000;
const TIMEOUT_MS = 10_000;
/** The claim of a dead process on a webhook expires. */
const TAKEN_SECONDS = 30;
const TAKEN_MAX = 20;
const PAUSE_SECONDS_MAX = 600;
/** Some days of retries. */
const ATTEMPTS_MAX = 500;

/** The test provider's signing secret: generated, not configured. */
export const testWebhookSecret = (box: SealedBox) =>
  `whsec_${box.keyedHash('test payments webhooks', 'secret')}`;

type Webhook = { readonly event_id: string; readonly body: string; readonly attempts: number };

/** Sends the test provider's events over HTTP, at least once each, from a stored queue. */
export class TestWebhooks implements AsyncDisposable {
  readonly #kit: Pick<Kit, 'pool' | 'log'>;
  readonly #secret: string;
  #target: string | null = null;
  #isClosed = false;
  #isWanted = false;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(kit: Pick<Kit, 'pool' | 'box' | 'log'>) {
    this.#kit = kit;
    this.#secret = testWebhookSecret(kit.box);
  }

  /** Joins the transaction of the change that it reports. */
  async enqueue(client: pg.ClientBase, type: string, object: object): Promise<void> {
    const eventId = `evt_${newId().replaceAll('-', '')}`;
    const body = { id: eventId, object: 'event', type, data: { object } };
    await client.query('insert into operational.test_webhooks (event_id, body) values ($1, $2)', [
      eventId,
      JSON.stringify(body),
    ]);
  }

  /** Sets the address of the product. Nothing is sent before. */
  sendTo(url: string): void {
    this.#target = url;
    this.#timer ??= setInterval(() => this.sendNow(), EVERY_MS).unref();
    this.sendNow();
  }

  /** Sends waiting events: one round at a time, and another one if it is called in between. */
  sendNow(): void {
    this.#isWanted = true;
    if (this.#running || this.#isClosed || !this.#target) return;
    const rounds = async () => {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        await this.#sendDue();
      }
    };
    this.#running = rounds()
      .catch((error) => this.#kit.log.warn('test webhooks were not sent', errorFields(error)))
      .finally(() => {
        this.#running = null;
      });
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #sendDue() {
    const { rows } = await this.#kit.pool.query<Webhook>(
      `with due as materialized (
         select event_id from operational.test_webhooks where deliver_at <= now()
         order by event_id limit $2 for update skip locked)
       update operational.test_webhooks w
       set deliver_at = now() + make_interval(secs => $1), attempts = w.attempts + 1
       from due where w.event_id = due.event_id
       returning w.event_id, w.body, w.attempts`,
      [TAKEN_SECONDS, TAKEN_MAX],
    );
    await Promise.all(rows.map((webhook) => this.#send(webhook)));
    if (rows.length === TAKEN_MAX) this.#isWanted = true;
  }

  async #send({ event_id, body, attempts }: Webhook) {
    const { pool, log } = this.#kit;
    try {
      const { signedHeader } = await import('./stripe-signature.ts');
      const signature = signedHeader(body, this.#secret);
      const response = await fetch(`${this.#target}${receiveTestPaymentsWebhook.path}`, {
        method: receiveTestPaymentsWebhook.method,
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`The webhook was answered ${response.status}`);
    } catch (error) {
      if (attempts < ATTEMPTS_MAX) return this.#sendLater(event_id, attempts);
      log.error('a test webhook was given up', { event_id, ...errorFields(error) });
    }
    await pool.query('delete from operational.test_webhooks where event_id = $1', [event_id]);
  }

  async #sendLater(eventId: string, attempts: number) {
    const seconds = Math.min(2 ** (attempts - 1), PAUSE_SECONDS_MAX) / 2;
    await this.#kit.pool.query(
      `update operational.test_webhooks set deliver_at = now() + make_interval(secs => $2)
       where event_id = $1`,
      [eventId, seconds],
    );
    setTimeout(() => this.sendNow(), seconds * 1_000).unref();
  }
}

/** A payment as the test provider stores it. */
export type TestPayment = {
  readonly payment_id: string;
  readonly session_id: string;
  readonly transaction_id: string;
  readonly dispute_id: string;
  readonly cents: number;
  readonly currency: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'expired';
  /** The bank's reason, as `insufficient_funds`; null while nothing failed. */
  readonly decline_code: string | null;
  readonly refunded_cents: number;
  readonly dispute_status: 'needs_response' | 'won' | 'lost' | null;
};

const metadataOf = ({ payment_id: paymentId }: TestPayment) => ({ paymentId });

/** The parts of Stripe's objects that this product reads. */
export const sessionOf = (payment: TestPayment) => ({
  id: payment.session_id,
  object: 'checkout.session',
  status: payment.status === 'succeeded' ? 'complete' : 'open',
  payment_status: payment.status === 'succeeded' ? 'paid' : 'unpaid',
  payment_intent: payment.transaction_id,
  amount_total: payment.cents,
  currency: payment.currency,
  metadata: metadataOf(payment),
});

export const intentOf = (payment: TestPayment) => ({
  id: payment.transaction_id,
  object: 'payment_intent',
  status: payment.status === 'succeeded' ? 'succeeded' : 'requires_payment_method',
  amount: payment.cents,
  amount_received: payment.status === 'succeeded' ? payment.cents : 0,
  currency: payment.currency,
  last_payment_error: payment.decline_code && errorOf(payment.decline_code),
  metadata: metadataOf(payment),
});

const errorOf = (code: string) =>
  code === 'payment_intent_authentication_failure'
    ? { code }
    : { code: 'card_declined', decline_code: code };

export const chargeOf = (payment: TestPayment) => ({
  id: `ch_${payment.transaction_id}`,
  object: 'charge',
  amount: payment.cents,
  amount_refunded: payment.refunded_cents,
  currency: payment.currency,
  payment_intent: payment.transaction_id,
  metadata: metadataOf(payment),
});

/** It carries no metadata: the payment is found by its transaction, as with Stripe. */
export const disputeOf = (payment: TestPayment) => ({
  id: payment.dispute_id,
  object: 'dispute',
  amount: payment.cents,
  currency: payment.currency,
  status: payment.dispute_status ?? 'needs_response',
  payment_intent: payment.transaction_id,
});
