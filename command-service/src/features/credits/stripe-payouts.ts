import type Stripe from 'stripe';
import { ProviderFault } from './payment-gateway.ts';
import type { BalanceChange, Payout, Period } from './payouts.ts';
import { type StripeSettings, stripeCalls } from './stripe-gateway.ts';

/** Bank transfers are known days after the payment was begun, and payouts follow later. */
export const DAYS_AFTER = 45;
const DAY_MS = 86_400_000;
const PAGE_LENGTH = 100;
/** Of one month; a larger account has better tools. */
const OBJECTS_MAX = 500_000;

export type StripeBalance = {
  readonly changes: readonly BalanceChange[];
  /** Those made in the period. */
  readonly payouts: readonly Payout[];
};

/** Reads the balance of a Stripe account of a period and some days after it. Throws ProviderFault. */
export async function readStripeBalance(
  settings: Pick<StripeSettings, 'secretKey' | 'apiBase' | 'timeoutMs'>,
  { from, until }: Period,
): Promise<StripeBalance> {
  const { stripe, ask } = stripeCalls(settings);
  const end = new Date(until.getTime() + DAYS_AFTER * DAY_MS);
  const created = { gte: secondsOf(from), lt: secondsOf(end) };
  return ask(async () => {
    const paidOut = new Map<string, string>();
    const payouts: Payout[] = [];
    for await (const payout of bounded(stripe.payouts.list({ created, limit: PAGE_LENGTH }))) {
      const net = await netOf(stripe, payout, paidOut);
      const { id, amount, currency } = payout;
      const at = new Date(payout.created * 1_000);
      if (at < until) payouts.push({ id, amount, currency, at, net });
    }
    const changes: BalanceChange[] = [];
    const asked = { created, limit: PAGE_LENGTH, expand: ['data.source'] };
    for await (const transaction of bounded(stripe.balanceTransactions.list(asked))) {
      changes.push(changeOf(transaction, paidOut.get(transaction.id) ?? null));
    }
    return { changes, payouts };
  });
}

/** Notes the payout of its transactions. Of manual payouts Stripe tells no transactions. */
async function netOf(
  stripe: Stripe,
  { id, automatic }: Stripe.Payout,
  paidOut: Map<string, string>,
): Promise<number | null> {
  if (!automatic) return null;
  let net = 0;
  const asked = { payout: id, limit: PAGE_LENGTH };
  for await (const transaction of bounded(stripe.balanceTransactions.list(asked))) {
    if (transaction.type === 'payout') continue;
    paidOut.set(transaction.id, id);
    net += transaction.net;
  }
  return net;
}

async function* bounded<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const each of all) {
    count += 1;
    if (count > OBJECTS_MAX)
      throw new ProviderFault(`Stripe has more than ${OBJECTS_MAX} objects.`);
    yield each;
  }
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1_000);

const KINDS: Readonly<Partial<Record<string, BalanceChange['kind']>>> = {
  charge: 'charge',
  payment: 'charge',
  refund: 'refund',
  payment_refund: 'refund',
  payout: 'payout',
};

function changeOf(one: Stripe.BalanceTransaction, payoutId: string | null): BalanceChange {
  const { id, amount, fee, net, currency, source, type } = one;
  const object = typeof source === 'object' ? source : null;
  const kind = object?.object === 'dispute' ? 'dispute' : (KINDS[type] ?? 'other');
  return {
    id,
    kind,
    at: new Date(one.created * 1_000),
    amount,
    fee,
    feeParts: one.fee_details.reduce((sum, part) => sum + part.amount, 0),
    net,
    currency,
    payoutId,
    paymentTransaction: intentIn(object),
    charged:
      object?.object === 'charge'
        ? { amount: object.amount, currency: object.currency, refunded: object.amount_refunded }
        : null,
  };
}

function intentIn(source: Stripe.BalanceTransactionSource | null): string | null {
  if (!source || !('payment_intent' in source)) return null;
  const { payment_intent: intent } = source;
  return typeof intent === 'string' ? intent : (intent?.id ?? null);
}
