import { PACKAGES } from '@tallyhand/contracts/features/credits/credits.prices';
import { paymentEvents } from '@tallyhand/contracts/features/credits/payments.events';
import { paymentsModel } from '@tallyhand/read-models/features/credits/payments.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

/** The payments of an organization. Reversals are in the ledger's own rows. */
export const paymentsProjection = rowProjection({
  model: paymentsModel,
  kinds: paymentEvents,
  table: 'payments',
  idOf: ({ paymentId }) => paymentId,
  first: {
    PaymentRequested: ({ packageId }) => ({
      package_name: PACKAGES.find(({ id }) => id === packageId)?.name ?? packageId,
      status: 'pending',
      refunded_cents: 0,
    }),
  },
  next: {
    CheckoutOpened: (_, { url }) => ({ checkout_url: url }),
    PaymentSucceeded: (_, { transactionId }) => ({
      status: 'succeeded',
      transaction_id: transactionId,
      failure_code: null,
    }),
    PaymentFailed: (_, { transactionId, code }) => ({
      status: 'failed',
      transaction_id: transactionId,
      failure_code: code,
    }),
    PaymentRefunded: 'by-name',
    PaymentDisputed: () => ({ dispute_outcome: 'open' as const }),
    DisputeClosed: (_, { outcome }) => ({ dispute_outcome: outcome }),
  },
});
