import { paymentEvents } from '@tallyhand/contracts/features/credits/payments.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext } from '../../kit/context.ts';
import { type Reaction, reaction, reactionContext } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';
import type { Payments } from './payments.ts';

const faults = counter({
  name: 'tallyhand_payment_faults_total',
  help: 'Payments that could not be fetched from the provider, or settled in the ledger.',
  known: [{ step: 'look-up' }, { step: 'settle' }],
});

/** Fetched at the same time. */
const LOOKED_UP_MAX = 10;
const PAUSE_SECONDS_MAX = 3_600;
/** After this time no customer has received a page to pay on. */
const UNOPENED_HOURS_MAX = 24;
/** Later, a provider never ends a payment. */
const PENDING_DAYS_MAX = 30;

/** Maintains the list of pending payments, and settles those whose process died. */
export function finishPayments({ pool, log }: Kit, payments: Payments): Reaction {
  const settle = async (event: StoredEvent) => {
    const { paymentId, organizationId } = Own.parse(event.data);
    try {
      const context = reactionContext(event, derivedId(event.id, 'settle-payment'));
      await payments.settle(context, paymentId);
    } catch (error) {
      // One payment must not block later events: the sweep retries it.
      faults.add({ step: 'settle' });
      log.error('a payment was not settled', { paymentId, ...errorFields(error) });
      await pool.query(PENDING, [paymentId, organizationId, event.envelope.recordedAt]);
    }
  };
  return reaction('finish-payments', {
    PaymentRequested: async (event) => {
      const { paymentId, organizationId } = Own.parse(event.data);
      await pool.query(PENDING, [paymentId, organizationId, event.envelope.recordedAt]);
    },
    PaymentSucceeded: settle,
    PaymentRefunded: settle,
    PaymentDisputed: settle,
    DisputeClosed: settle,
  });
}

const Own = paymentEvents.PaymentRequested.schema.pick({ paymentId: true, organizationId: true });

/** A listed payment is checked again soon. */
const PENDING = `
  insert into operational.pending_payments (payment_id, organization_id, requested_at)
  values ($1, $2, $3)
  on conflict (payment_id) do update set looks = 0`;

type Pending = {
  readonly payment_id: string;
  readonly organization_id: string;
  readonly age_hours: number;
};

/** Fetches pending payments from the provider, with growing pauses, until they end. */
export function sweepPayments(
  { pool, log }: Kit,
  payments: Payments,
  { everyMs }: { readonly everyMs: number } = { everyMs: 5_000 },
): AsyncDisposable {
  async function finish({ payment_id: paymentId, organization_id, age_hours }: Pending) {
    const context = backgroundContext('worker', organization_id);
    let hasEnded = await payments.lookUp(context, paymentId);
    await payments.settle(context, paymentId);
    const { isOpened, isPaid } = await payments.progressOf(paymentId);
    if (!isOpened && age_hours > UNOPENED_HOURS_MAX) {
      await payments.giveUp(context, paymentId);
      hasEnded = true;
    }
    const isGivenUp = age_hours > PENDING_DAYS_MAX * 24;
    if (isGivenUp) log.warn('a payment is no longer looked up', { paymentId });
    if (!hasEnded && !isPaid && !isGivenUp) return;
    await pool.query('delete from operational.pending_payments where payment_id = $1', [paymentId]);
  }

  async function sweep() {
    const { rows } = await pool.query<Pending>(
      `with due as materialized (
         select payment_id from operational.pending_payments
         where coalesce(looked_at, requested_at)
           + make_interval(secs => least($1::float * 2 ^ least(looks, 30), $2)) < now()
         order by coalesce(looked_at, requested_at) limit $3 for update skip locked)
       update operational.pending_payments p set looked_at = now(), looks = p.looks + 1
       from due where p.payment_id = due.payment_id
       returning p.payment_id, p.organization_id,
         extract(epoch from now() - p.requested_at)::float / 3600 as age_hours`,
      [everyMs / 1000, PAUSE_SECONDS_MAX, LOOKED_UP_MAX],
    );
    await Promise.all(
      rows.map((row) =>
        finish(row).catch((error) => {
          faults.add({ step: 'look-up' });
          const { payment_id: paymentId } = row;
          log.warn('a payment was not looked up', { paymentId, ...errorFields(error) });
        }),
      ),
    );
  }

  return recurring({ everyMs, failed: 'payments were not swept', log }, sweep);
}
