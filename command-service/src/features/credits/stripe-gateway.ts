import { Id } from '@tallyhand/contracts/kernel/ids';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import Stripe from 'stripe';
import { z } from 'zod';
import {
  type Order,
  type PaymentFact,
  type PaymentGateway,
  ProviderFault,
} from './payment-gateway.ts';
import {
  disputeFacts,
  endedSession,
  factsOf,
  failedIntent,
  paidSession,
  refundedCharge,
} from './stripe-events.ts';
import { readSignedEvent } from './stripe-signature.ts';

export type StripeSettings = {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Another address than Stripe's own, as `http://127.0.0.1:12111`. */
  readonly apiBase?: string;
  /** For one attempt. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 6_000;
const NETWORK_RETRIES = 2;
/** A payment rarely has more than one dispute. */
const DISPUTES_MAX = 10;

const OpenedSession = z.object({ id: z.string().min(1), url: z.url() });

/** Stripe's hosted Checkout: no card number reaches this server. */
export function stripeGateway(settings: StripeSettings): PaymentGateway {
  const { stripe, ask } = stripeCalls(settings);
  const paymentOf = (transactionId: string) => ask(() => findPayment(stripe, transactionId));
  return {
    provider: 'stripe',
    async open(order) {
      // With this key, a repeat within a day gets the same page.
      const idempotencyKey = `checkout-${order.paymentId}`;
      const session = await ask(() =>
        stripe.checkout.sessions.create(sessionFor(order), { idempotencyKey }),
      );
      const opened = OpenedSession.safeParse(session);
      if (!opened.success) throw new ProviderFault('Stripe answered with no checkout session.');
      return { sessionId: opened.data.id, url: opened.data.url };
    },
    lookUp: ({ paymentId, sessionId }) => ask(() => lookUp(stripe, paymentId, sessionId)),
    async read(body, signature) {
      const event = readSignedEvent(body, signature, settings.webhookSecret);
      return isRefusal(event) ? event : factsOf(event, paymentOf);
    },
  };
}

/** Stripe's client, and a wrapper of its calls whose faults hold no secret. */
export function stripeCalls({
  secretKey,
  webhookSecret,
  apiBase,
  timeoutMs = TIMEOUT_MS,
}: Omit<StripeSettings, 'webhookSecret'> & { readonly webhookSecret?: string }) {
  const stripe = new Stripe(secretKey, {
    maxNetworkRetries: NETWORK_RETRIES,
    timeout: timeoutMs,
    telemetry: false,
    ...addressOf(apiBase),
  });
  const secrets = webhookSecret === undefined ? [secretKey] : [secretKey, webhookSecret];
  async function ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw faultOf(error, secrets);
    }
  }
  return { stripe, ask };
}

function addressOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (!apiBase) return {};
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? 'http' : 'https',
    // IPv6 addresses have brackets in URLs only.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isPlain ? 80 : 443),
  };
}

/**
 * The parameters depend on the order alone, because Stripe refuses a repeat with other ones. So there
 * is no `expires_at`, and the page closes after Stripe's limit of 24 hours.
 */
function sessionFor(order: Order): Stripe.Checkout.SessionCreateParams {
  const { paymentId, organizationId, packageName, credits, cents, currency } = order;
  const metadata = { paymentId, organizationId };
  const product = { name: packageName, description: `${credits} credits` };
  return {
    mode: 'payment',
    line_items: [
      { quantity: 1, price_data: { currency, unit_amount: cents, product_data: product } },
    ],
    client_reference_id: paymentId,
    metadata,
    // A charge takes the metadata of its payment intent, so that a refund names the payment too.
    payment_intent_data: { metadata },
    // The amount is checked in one currency: it must not be converted to the buyer's.
    adaptive_pricing: { enabled: false },
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
  };
}

async function lookUp(
  stripe: Stripe,
  paymentId: string,
  sessionId: string,
): Promise<PaymentFact[]> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, {
    expand: ['payment_intent.latest_charge'],
  });
  if (session.metadata?.paymentId !== paymentId) {
    throw new ProviderFault(`Stripe's checkout session is not that of payment ${paymentId}.`);
  }
  if (session.status === 'open') return [];
  if (session.status === 'expired') return endedSession(session, 'expired');
  const intent = session.payment_intent;
  if (intent === null || typeof intent === 'string') return [];
  const failed = intent.status === 'requires_payment_method' || intent.status === 'canceled';
  const charge = intent.latest_charge;
  return [
    ...paidSession(session),
    ...(failed ? failedIntent(intent) : []),
    ...(await afterwards(stripe, intent.id, paymentId, charge)),
  ];
}

/** Refunds and disputes. */
async function afterwards(
  stripe: Stripe,
  transactionId: string,
  paymentId: string,
  charge: Stripe.Charge | string | null,
): Promise<PaymentFact[]> {
  if (charge === null || typeof charge === 'string') return [];
  const resolve = async () => paymentId;
  const refunded = charge.amount_refunded > 0 ? await refundedCharge(charge, resolve) : [];
  if (!charge.disputed) return refunded;
  const disputes = await stripe.disputes.list({
    payment_intent: transactionId,
    limit: DISPUTES_MAX,
  });
  return [...refunded, ...disputes.data.flatMap((dispute) => disputeFacts(dispute, paymentId))];
}

async function findPayment(stripe: Stripe, transactionId: string): Promise<string | null> {
  try {
    const intent = await stripe.paymentIntents.retrieve(transactionId);
    return Id.safeParse(intent.metadata?.paymentId).data ?? null;
  } catch (error) {
    const isUnknown = error instanceof Stripe.errors.StripeError && error.statusCode === 404;
    if (isUnknown) return null;
    throw error;
  }
}

/** Stripe's errors contain parts of refused keys. */
const KEY_LIKE = /\b(sk|rk|whsec)_[\w*]+/g;

/** Stripe's description of a failure, for the log, without secrets. */
function faultOf(error: unknown, secrets: readonly string[]): ProviderFault {
  if (error instanceof ProviderFault) return error;
  let words = String(error);
  if (error instanceof Stripe.errors.StripeError) {
    const { type, code, param, statusCode, requestId, message } = error;
    words = `${[type, code, param, statusCode, requestId].filter(Boolean).join(', ')}: ${message}`;
  }
  for (const secret of secrets) words = words.replaceAll(secret, '[secret]');
  return new ProviderFault(`Stripe: ${words.replace(KEY_LIKE, '[secret]')}`);
}
