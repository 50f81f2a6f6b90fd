import { PACKAGES, pricePerCredit } from '@tallyhand/contracts/features/credits/credits.prices';
import {
  exportPayments,
  getBillingSettings,
  getReceipt,
  listPackages,
  listPayments,
  type Package,
  type Payment,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { NoReceipt } from '@tallyhand/contracts/features/credits/payments.refusals';
import type { AnswerOf, QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readBillingAccess,
  readPaymentForReceipt,
  readPayments,
  readPaymentsOfPeriod,
} from '@tallyhand/read-models/features/credits/payments.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import type { CsvColumns } from '../../kernel/csv.ts';
import { exportRoute } from '../../kernel/export-route.ts';
import { listRoute, route } from '../../kernel/route.ts';

const packages: readonly Package[] = PACKAGES.map(({ cents, ...offer }) => ({
  ...offer,
  amount: cents / 100,
  pricePerCredit: pricePerCredit({ credits: offer.credits, cents }),
}));

const columns: CsvColumns<Payment> = {
  Time: (row) => row.createdAt,
  Package: (row) => row.packageName,
  Credits: (row) => row.creditsPurchased,
  Amount: (row) => row.amount,
  Currency: (row) => row.currency,
  Status: (row) => row.status,
  'Failure code': (row) => row.failureCode,
  'Refunded amount': (row) => row.refundedAmount,
  'Credits taken back': (row) => row.creditsReversed,
  Dispute: (row) => row.disputeOutcome,
  Provider: (row) => row.provider,
  'Provider transaction': (row) => row.providerTxnId,
  'Payment id': (row) => row.id,
};

/** Each receipt is rendered on request. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

export function paymentsRoutes(app: FastifyInstance, context: QueryContext) {
  const provider = context.settings.payments?.stripeSecretKey ? 'stripe' : 'test';
  const settings: AnswerOf<typeof getBillingSettings> = { provider };

  route(app, context, listPackages, async ({ read }) => {
    const access = await read(readBillingAccess, {});
    return isRefusal(access) ? access : { kind: 'rows', body: JSON.stringify(packages) };
  });
  route(app, context, getBillingSettings, async ({ read }) => {
    const access = await read(readBillingAccess, {});
    return isRefusal(access) ? access : { kind: 'rows', body: JSON.stringify(settings) };
  });
  listRoute(app, context, listPayments, { read: readPayments });
  exportRoute<Payment, QueryOf<typeof exportPayments>>(app, context, exportPayments, {
    fileName: 'payments',
    columns,
    pages:
      async ({ read, query: { from = null, to = null } }) =>
      (page) =>
        read(readPaymentsOfPeriod, { from, to, ...page }),
  });
  const options = { limit: LIMIT, what: 'payment' };
  route(app, context, getReceipt, options, async ({ params, read }) => {
    const found = await read(readPaymentForReceipt, { id: params.id });
    if (isRefusal(found) || found.body === null) return found;
    const { organizationName, ...payment }: Found = JSON.parse(found.body);
    if (!payment.hasReceipt) return NoReceipt({});
    // Fonts and the library for PDF files are loaded when the first file is drawn.
    const { receiptNumber, receiptPdf } = await import('./receipt.ts');
    const body = await receiptPdf({ payment, organizationName });
    return { kind: 'file', fileName: `receipt-${receiptNumber(payment)}.pdf`, body };
  });
}

type Found = Payment & { readonly organizationName: string };
