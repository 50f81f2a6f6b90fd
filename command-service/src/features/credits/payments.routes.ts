import {
  actOnTestPayment,
  confirmPurchase,
  purchaseCredits,
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  CreditsNotBought,
  NotATestPayment,
  PaymentDeclined,
  PaymentPending,
} from '@tallyhand/contracts/features/credits/payments.refusals';
import { Id } from '@tallyhand/contracts/kernel/ids';
import { DependencyDown, NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Credits } from './credits.ts';
import { failureOf, isPaid, type Payment, statusOf } from './payment.decider.ts';
import { type PaymentGateway, ProviderFault } from './payment-gateway.ts';
import type { Payments } from './payments.ts';
import type { TestPayments } from './test-payments.ts';

/** Each call may send a request to the provider. */
const PURCHASES_LIMIT = { max: 30, timeWindow: '1 minute' };
const CONFIRMATIONS_LIMIT = { max: 120, timeWindow: '1 minute' };

export type PaymentsRoutesContext = {
  readonly kit: Kit;
  readonly payments: Payments;
  /** Null with a real provider. */
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

/** Stripe's events are a few kilobytes. */
const WEBHOOK_BYTES_MAX = 256 * 1024;

export type WebhooksContext = {
  readonly kit: Kit;
  readonly payments: Pick<Payments, 'apply' | 'ownerOf'>;
  readonly gateway: PaymentGateway;
};

/** The webhooks of payment providers: public, authenticated by their signature. */
export function webhooksRoutes(app: FastifyInstance, context: WebhooksContext) {
  const endpoints = { stripe: receiveStripeWebhook, test: receiveTestPaymentsWebhook };
  app.register(async (scope) => {
    addRawBody(scope, WEBHOOK_BYTES_MAX);
    for (const [provider, { method, path, name }] of Object.entries(endpoints)) {
      const isUsed = provider === context.gateway.provider;
      scope.route({
        method,
        url: path,
        config: SIGNED_CALL,
        handler: async (request, reply) => {
          if (!isUsed) return sendProblem(reply, NotFound({ what: 'address' }));
          const refused = await receive(context, name, request);
          return refused ? sendProblem(reply, refused) : accept(reply);
        },
      });
    }
  });
}

const accept = (reply: FastifyReply) => reply.code(receiveStripeWebhook.status).send(RECEIVED);
const RECEIVED = { received: true };

/** Refuses unsigned requests only, because the provider repeats every refused one. */
async function receive(
  context: WebhooksContext,
  call: string,
  { body, headers, id }: FastifyRequest,
): Promise<Refusal | null> {
  const { gateway, payments, kit } = context;
  const signature = headers['stripe-signature'];
  const caller = contextOf(gateway.provider, id);
  try {
    const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const facts = await gateway.read(raw, typeof signature === 'string' ? signature : undefined);
    if (isRefusal(facts)) {
      kit.recordRefused({ call, refusal: facts, context: caller });
      return facts;
    }
    for (const fact of facts) {
      const refusal = await payments.apply(caller, fact);
      if (!refusal) continue;
      const organizationId = await payments.ownerOf(fact.paymentId);
      const about = { paymentId: fact.paymentId, told: fact.kind };
      kit.recordRefused({ call, refusal, about, context: { ...caller, organizationId } });
    }
    return null;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    kit.log.warn('a webhook could not be understood', { reason: error.message });
    return DependencyDown({ what: 'The payment provider' });
  }
}

const contextOf = (provider: string, correlationId: string): CommandContext => ({
  organizationId: null,
  actor: { kind: 'payment-provider', id: provider },
  commandId: newId(),
  correlationId,
  causationId: null,
  now: new Date(),
});

const SIGNED_CALL = { isSigned: true };

/** The raw bytes of any body, because a signature covers exactly these. */
function addRawBody(scope: FastifyInstance, bytesMax: number) {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: bytesMax } as const;
  scope.addContentTypeParser('*', options, (_request, body, done) => done(null, body));
}
