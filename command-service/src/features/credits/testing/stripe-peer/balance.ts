import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { inner, textOf } from './parameters.ts';
import { type Form, missing } from './shapes.ts';

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

/** What Stripe takes of a card payment in US dollars: 2.9 % and 30 cents. */
const feeOf = (cents: number) => Math.round(cents * 0.029) + 30;

type Source = Stripe.Charge | Stripe.Refund | Stripe.Dispute | Stripe.Payout;
type Kept = {
  readonly transaction: Stripe.BalanceTransaction;
  readonly source: Source;
  payout: string | null;
};

/** The balance of an account: what changed it, and what was paid out of it. */
export class StripeBalance {
  readonly #kept: Kept[] = [];
  readonly #payouts: Stripe.Payout[] = [];

  charge(charge: Stripe.Charge, nowS: number): void {
    const fee = feeOf(charge.amount);
    charge.balance_transaction = this.#add('charge', charge, { amount: charge.amount, fee }, nowS);
  }

  /** Stripe keeps its fee. */
  refund(charge: Stripe.Charge, cents: number, nowS: number): void {
    const refund = refundOf(newId('re'), charge, cents, nowS);
    refund.balance_transaction = this.#add('refund', refund, { amount: -cents, fee: 0 }, nowS);
  }

  /** Withdraws the amount and a fee, or gives both back. */
  dispute(dispute: Stripe.Dispute, direction: 'withdrawn' | 'reinstated', nowS: number): void {
    const sign = direction === 'withdrawn' ? -1 : 1;
    const fee = -sign * 1_500;
    this.#add('adjustment', dispute, { amount: sign * dispute.amount, fee }, nowS);
  }

  /** Pays out everything that has not been paid out; returns the payout's id. */
  payOut(nowS: number): string {
    const open = this.#kept.filter(({ payout }) => payout === null);
    const payout = payoutOf(
      newId('po'),
      open.reduce((sum, { transaction }) => sum + transaction.net, 0),
      nowS,
    );
    this.#payouts.push(payout);
    for (const each of open) each.payout = payout.id;
    const amounts = { amount: -payout.amount, fee: 0 };
    payout.balance_transaction = this.#add('payout', payout, amounts, nowS, payout.id);
    return payout.id;
  }

  /** The objects themselves, which a test may alter. */
  get transactions(): readonly Stripe.BalanceTransaction[] {
    return this.#kept.map(({ transaction }) => transaction);
  }

  get payouts(): readonly Stripe.Payout[] {
    return this.#payouts;
  }

  /** Forgets a transaction, as if it had never been. */
  forget(id: string): void {
    const at = this.#kept.findIndex(({ transaction }) => transaction.id === id);
    this.#kept.splice(at, 1);
  }

  listTransactions(form: Form) {
    const payout = textOf(form.payout);
    const isExpanded = Object.values(inner(form.expand)).includes('data.source');
    const found = this.#kept
      .filter((each) => payout === '' || each.payout === payout)
      .map(({ transaction, source }) => ({
        ...transaction,
        source: isExpanded ? structuredClone(source) : transaction.source,
      }));
    return pageOf(found, form, '/v1/balance_transactions', 'balance_transaction');
  }

  listPayouts(form: Form) {
    return pageOf(this.#payouts, form, '/v1/payouts', 'payout');
  }

  #add(
    type: Stripe.BalanceTransaction['type'],
    source: Source,
    { amount, fee }: { readonly amount: number; readonly fee: number },
    nowS: number,
    payout: string | null = null,
  ): string {
    const { id: sourceId, currency } = source;
    const transaction = transactionOf({ type, sourceId, currency, amount, fee, nowS });
    this.#kept.push({ transaction, source, payout });
    return transaction.id;
  }
}

/** Newest first, after `starting_after`, within `created`. */
function pageOf<T extends { readonly id: string; readonly created: number }>(
  all: readonly T[],
  form: Form,
  url: string,
  what: string,
) {
  const { gte, lt } = inner(form.created);
  const found = all
    .toReversed()
    .filter(({ created }) => created >= Number(gte ?? 0) && created < Number(lt ?? Infinity));
  const after = textOf(form.starting_after);
  const start = after === '' ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== '' && start === 0) throw missing(what, after, 'starting_after');
  const limit = Number(form.limit ?? 10);
  const data = found.slice(start, start + limit);
  return { object: 'list', url, has_more: found.length > start + limit, data };
}

type Transaction = {
  readonly type: Stripe.BalanceTransaction['type'];
  readonly sourceId: string;
  readonly currency: string;
  readonly amount: number;
  readonly fee: number;
  readonly nowS: number;
};

function transactionOf(given: Transaction): Stripe.BalanceTransaction {
  const { type, sourceId, currency, amount, fee, nowS } = given;
  const details = { application: null, currency, description: null, type: 'stripe_fee' };
  return {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: nowS,
    balance_type: 'payments',
    created: nowS,
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [{ ...details, amount: fee }],
    net: amount - fee,
    reporting_category: type === 'adjustment' ? 'dispute' : type,
    source: sourceId,
    status: 'available',
    type,
  };
}

const refundOf = (
  id: string,
  charge: Stripe.Charge,
  cents: number,
  nowS: number,
): Stripe.Refund => ({
  id,
  object: 'refund',
  amount: cents,
  balance_transaction: null,
  charge: charge.id,
  created: nowS,
  currency: charge.currency,
  customer: null,
  customer_account: null,
  metadata: {},
  payment_intent: charge.payment_intent,
  payment_method: null,
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded',
  transfer_reversal: null,
});

const payoutOf = (id: string, amount: number, nowS: number): Stripe.Payout => ({
  id,
  object: 'payout',
  amount,
  application_fee: null,
  application_fee_amount: null,
  arrival_date: nowS,
  automatic: true,
  balance_transaction: null,
  created: nowS,
  currency: 'usd',
  description: 'STRIPE PAYOUT',
  destination: null,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  livemode: false,
  metadata: {},
  method: 'standard',
  original_payout: null,
  payout_method: null,
  reconciliation_status: 'completed',
  reversed_by: null,
  source_type: 'card',
  statement_descriptor: null,
  status: 'paid',
  trace_id: null,
  type: 'bank_account',
});
