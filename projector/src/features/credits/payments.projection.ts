import { PACKAGES } from '@tallyhand/contracts/features/credits/credits.prices';
import {
  type PaymentEvent,
  paymentEvents,
} from '@tallyhand/contracts/features/credits/payments.events';
import { paymentsModel } from '@tallyhand/read-models/features/credits/payments.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { projection, type Tx } from '../../kernel/projection.ts';

/** The payments of an organization; what the ledger took back stands in the ledger's own rows. */
export const paymentsProjection = projection<PaymentEvent>({
  model: paymentsModel,
  kinds: paymentEvents,
  on: {
    PaymentRequested: (tx, data, { at }) =>
      tx
        .insertInto('payments')
        .values({
          payment_id: data.paymentId,
          organization_id: data.organizationId,
          package_name: PACKAGES.find(({ id }) => id === data.packageId)?.name ?? data.packageId,
          credits: data.credits,
          cents: data.cents,
          currency: data.currency,
          provider: data.provider,
          status: 'pending',
          transaction_id: null,
          failure_code: null,
          checkout_url: null,
          refunded_cents: 0,
          dispute_outcome: null,
          requested_by: data.requestedBy,
          created_at: at,
        })
        .execute(),
    CheckoutOpened: (tx, { paymentId, url }) => change(tx, paymentId, { checkout_url: url }),
    PaymentSucceeded: (tx, { paymentId, transactionId }) =>
      change(tx, paymentId, {
        status: 'succeeded',
        transaction_id: transactionId,
        failure_code: null,
      }),
    PaymentFailed: (tx, { paymentId, transactionId, code }) =>
      change(tx, paymentId, {
        status: 'failed',
        transaction_id: transactionId,
        failure_code: code,
      }),
    PaymentRefunded: (tx, { paymentId, refundedCents }) =>
      change(tx, paymentId, { refunded_cents: refundedCents }),
    PaymentDisputed: (tx, { paymentId }) => change(tx, paymentId, { dispute_outcome: 'open' }),
    DisputeClosed: (tx, { paymentId, outcome }) =>
      change(tx, paymentId, { dispute_outcome: outcome }),
  },
});

const change = (tx: Tx, paymentId: string, columns: Partial<Row<'payments'>>) =>
  tx.updateTable('payments').set(columns).where('payment_id', '=', paymentId).execute();
