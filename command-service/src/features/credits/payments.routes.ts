import {
  actOnTestPayment,
  confirmPurchase,
  purchaseCredits,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  CreditsNotBought,
  NotATestPayment,
  PaymentDeclined,
  PaymentPending,
} from '@tallyhand/contracts/features/credits/payments.refusals';
import { Id } from '@tallyhand/contracts/kernel/ids';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Credits } from './credits.ts';
import { failureOf, isPaid, type Payment, statusOf } from './payment.decider.ts';
import type { Payments } from './payments.ts';
import type { TestPayments } from './test-payments.ts';

/** Each call may ask the provider. */
const PURCHASES_LIMIT = { max: 30, timeWindow: '1 minute' };
const CONFIRMATIONS_LIMIT = { max: 120, timeWindow: '1 minute' };

export type PaymentsRoutesContext = {
  readonly kit: Kit;
  readonly payments: Payments;
  /** Null where payments are real. */
  readonly testPayments: Pick<TestPayments, 'act'> | null;
  readonly credits: Pick<Credits, 'available'>;
};

export function paymentsRoutes(app: FastifyInstance, context: PaymentsRoutesContext) {
  const { kit, payments, testPayments, credits } = context;
  const options = { what: 'payment', aboutRefused: askedFor };

  const buying = { ...options, limit: PURCHASES_LIMIT };
  route(app, kit, purchaseCredits, buying, async ({ caller, context, body }) => {
    const { organizationId, userId: requestedBy } = caller;
    const paymentId = idFor(context, 'payment');
    const purchase = { ...body, paymentId, organizationId, requestedBy };
    const payment = await payments.request(context, purchase);
    return isRefusal(payment) ? payment : purchaseAnswer(paymentId, payment);
  });

  const confirming = { ...options, limit: CONFIRMATIONS_LIMIT };
  route(app, kit, confirmPurchase, confirming, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    const { paymentIntentId, credits: bought } = body;
    const own = await payments.find(paymentIntentId, organizationId);
    if (!own) return NotFound({ what: 'payment' });
    if (bought !== undefined && own.credits !== bought) return CreditsNotBought({});
    const payment = await payments.awaitEnd(context, paymentIntentId);
    const status = statusOf(payment);
    if (isPaid(payment)) return { status, creditBalance: await credits.available(organizationId) };
    const reason = failureOf(payment);
    return status === 'failed' && reason ? PaymentDeclined({ reason }) : PaymentPending({});
  });

  const acting = { ...options, limit: PURCHASES_LIMIT };
  route(app, kit, actOnTestPayment, acting, async ({ caller, params, body }) => {
    const own = await payments.find(params.id, caller.organizationId);
    if (!own) return NotFound({ what: 'payment' });
    const isDone = own.provider === 'test' && (await testPayments?.act(params.id, body.action));
    return isDone ? { paymentIntentId: params.id } : NotATestPayment({});
  });
}

function purchaseAnswer(paymentIntentId: string, payment: Payment) {
  const checkoutUrl = payment.checkout?.url;
  const isOpen = checkoutUrl && !isPaid(payment);
  return { paymentIntentId, status: statusOf(payment), ...(isOpen ? { checkoutUrl } : {}) };
}

/** The payment of a refused call, of any organization, if its id is known. */
function askedFor({ params, body }: FastifyRequest): Record<string, string> {
  const { id } = (params ?? {}) as { id?: unknown };
  const { paymentIntentId } = (body ?? {}) as { paymentIntentId?: unknown };
  const paymentId = Id.safeParse(paymentIntentId ?? id);
  return paymentId.success ? { paymentId: paymentId.data } : {};
}
