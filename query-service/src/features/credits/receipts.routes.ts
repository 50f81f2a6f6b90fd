import { getReceipt, type Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { NoReceipt } from '@tallyhand/contracts/features/credits/payments.refusals';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readPaymentForReceipt } from '@tallyhand/read-models/features/credits/payments.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { route } from '../../kernel/route.ts';
import { receiptNumber, receiptPdf } from './receipt.ts';

/** Each is drawn on request. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

type Found = Payment & { readonly organizationName: string };

export function receiptsRoutes(app: FastifyInstance, context: QueryContext) {
  const options = { limit: LIMIT, what: 'payment' };
  route(app, context, getReceipt, options, async ({ params, read }) => {
    const found = await read(readPaymentForReceipt, { id: params.id });
    if (isRefusal(found) || found.body === null) return found;
    const { organizationName, ...payment }: Found = JSON.parse(found.body);
    if (!payment.hasReceipt) return NoReceipt({});
    const body = await receiptPdf({ payment, organizationName });
    return { kind: 'file', fileName: `receipt-${receiptNumber(payment)}.pdf`, body };
  });
}
