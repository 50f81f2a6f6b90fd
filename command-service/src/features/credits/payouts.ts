import { centsText } from '@tallyhand/contracts/features/credits/credits.prices';
import { type Cell, csvLine } from '@tallyhand/service-kit/csv';

/** A change of the balance at the payment provider. Amounts are in hundredths. */
export type BalanceChange = {
  readonly id: string;
  readonly kind: 'charge' | 'refund' | 'dispute' | 'payout' | 'other';
  readonly at: Date;
  readonly amount: number;
  readonly fee: number;
  /** The sum of the fee's parts. */
  readonly feeParts: number;
  readonly net: number;
  readonly currency: string;
  /** Null if it was not paid out yet. */
  readonly payoutId: string | null;
  /** The transaction of the payment that it is about; null if it is about none. */
  readonly paymentTransaction: string | null;
  /** Of a charge: what the customer was charged, and got back so far. */
  readonly charged: {
    readonly amount: number;
    readonly currency: string;
    readonly refunded: number;
  } | null;
};

export type Payout = {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
  /** Its changes, without the payout itself. Null if the provider does not tell them. */
  readonly net: number | null;
};

/** A payment that succeeded, as Tallyhand has it. */
export type KnownPayment = {
  readonly paymentId: string;
  readonly organizationId: string;
  readonly transaction: string;
  readonly cents: number;
  readonly currency: string;
  readonly refundedCents: number;
  readonly isDisputed: boolean;
  readonly createdAt: Date;
};

export type Period = { readonly from: Date; readonly until: Date };

export const DIFFERENCES = [
  'missing-here',
  'missing-there',
  'repeated',
  'amount',
  'currency',
  'refund',
  'dispute',
  'fee',
  'payout',
] as const;
export type Difference = {
  readonly kind: (typeof DIFFERENCES)[number];
  readonly sentence: string;
};

export type ReconciledRow = {
  readonly change: BalanceChange | null;
  readonly payment: KnownPayment | null;
  readonly differences: readonly Difference[];
};

export type Reconciliation = {
  /** The changes of the period, then payments without a charge. */
  readonly rows: readonly ReconciledRow[];
  readonly payouts: readonly Difference[];
};

type Parts = {
  readonly period: Period;
  /** Those of the period, and some days after it. */
  readonly changes: readonly BalanceChange[];
  /** Those made in the period. */
  readonly payouts: readonly Payout[];
  /** Those created in the period, and those that a change is about. */
  readonly payments: readonly KnownPayment[];
};

const isIn = ({ from, until }: Period, at: Date) => at >= from && at < until;

/** Compares each payment with the changes of the balance, and each payout with its changes. */
export function reconcile({ period, changes, payouts, payments }: Parts): Reconciliation {
  const byTransaction = new Map(payments.map((payment) => [payment.transaction, payment]));
  const charges = new Map<string, BalanceChange>();
  const rows: ReconciledRow[] = [];
  for (const change of changes.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const { kind, paymentTransaction } = change;
    const payment = byTransaction.get(paymentTransaction ?? '') ?? null;
    const first = kind === 'charge' ? charges.get(paymentTransaction ?? '') : undefined;
    if (kind === 'charge' && !first) charges.set(paymentTransaction ?? '', change);
    if (!isIn(period, change.at) || kind === 'payout') continue;
    const differences = [
      ...feeDifferences(change),
      ...(first ? [repeated(change, first)] : paymentDifferences(change, payment)),
    ];
    rows.push({ change, payment, differences });
  }
  for (const payment of payments) {
    if (!isIn(period, payment.createdAt) || charges.has(payment.transaction)) continue;
    rows.push({ change: null, payment, differences: [missingThere(payment)] });
  }
  return { rows, payouts: payouts.flatMap(payoutDifferences) };
}

const money = (cents: number, currency: string) => `${centsText(cents)} ${currency.toUpperCase()}`;
const named = ({ paymentId, transaction }: KnownPayment) => `payment ${paymentId} (${transaction})`;

const repeated = ({ id, paymentTransaction }: BalanceChange, first: BalanceChange): Difference => ({
  kind: 'repeated',
  sentence: `${id} charges ${paymentTransaction} again, after ${first.id}.`,
});

const missingThere = (payment: KnownPayment): Difference => ({
  kind: 'missing-there',
  sentence: `No balance transaction charges the ${named(payment)}.`,
});

/** Of changes that are about a payment. */
function paymentDifferences(change: BalanceChange, payment: KnownPayment | null): Difference[] {
  const { id, kind, paymentTransaction, charged, amount, currency } = change;
  if (kind === 'other' || kind === 'payout') return [];
  if (!payment) {
    const about = paymentTransaction ?? 'no payment';
    const sentence = `${id} (${kind}) is about ${about}, and no successful payment here is.`;
    return [{ kind: 'missing-here', sentence }];
  }
  if (kind === 'dispute') {
    if (payment.isDisputed) return [];
    return [
      { kind, sentence: `${id} is a dispute of the ${named(payment)}, which has none here.` },
    ];
  }
  if (kind === 'refund') {
    if (payment.refundedCents >= -amount) return [];
    return [refundDifference(payment, `${money(-amount, currency)} of it by ${id}`)];
  }
  if (!charged) return [];
  const differences: Difference[] = [];
  const here = money(payment.cents, payment.currency);
  if (charged.currency !== payment.currency) {
    const sentence = `The ${named(payment)} is ${here} here and ${money(charged.amount, charged.currency)} there.`;
    return [{ kind: 'currency', sentence }];
  }
  // In another currency, the balance has the amount after its conversion.
  const there = [charged.amount, ...(currency === charged.currency ? [amount] : [])];
  const other = there.find((each) => each !== payment.cents);
  if (other !== undefined) {
    const sentence = `The ${named(payment)} is ${here} here and ${money(other, charged.currency)} there.`;
    differences.push({ kind: 'amount', sentence });
  }
  if (charged.refunded !== payment.refundedCents) {
    differences.push(refundDifference(payment, money(charged.refunded, charged.currency)));
  }
  return differences;
}

const refundDifference = (payment: KnownPayment, there: string): Difference => ({
  kind: 'refund',
  sentence: `Of the ${named(payment)}, ${money(payment.refundedCents, payment.currency)} was refunded here, and ${there} there.`,
});

function feeDifferences({ id, amount, fee, feeParts, net, currency }: BalanceChange): Difference[] {
  if (amount - fee === net && fee === feeParts) return [];
  const parts = `its parts are ${money(feeParts, currency)}`;
  const sentence = `${id} is ${money(amount, currency)} with a fee of ${money(fee, currency)} and ${money(net, currency)} net, and ${parts}.`;
  return [{ kind: 'fee', sentence }];
}

function payoutDifferences({ id, amount, currency, net }: Payout): Difference[] {
  if (net === null || net === amount) return [];
  const sentence = `The payout ${id} is ${money(amount, currency)}, and its balance transactions are ${money(net, currency)}.`;
  return [{ kind: 'payout', sentence }];
}

const COLUMNS: Readonly<Record<string, (row: ReconciledRow) => Cell>> = {
  Time: ({ change, payment }) => (change?.at ?? payment?.createdAt)?.toISOString(),
  Kind: ({ change }) => change?.kind ?? 'none',
  'Balance transaction': ({ change }) => change?.id,
  Payout: ({ change }) => change?.payoutId,
  'Payment id': ({ payment }) => payment?.paymentId,
  'Organization id': ({ payment }) => payment?.organizationId,
  'Provider transaction': ({ change, payment }) =>
    change?.paymentTransaction ?? payment?.transaction,
  Currency: ({ change, payment }) => change?.currency ?? payment?.currency,
  Amount: ({ change }) => change && centsText(change.amount),
  Fee: ({ change }) => change && centsText(change.fee),
  Net: ({ change }) => change && centsText(change.net),
  'Amount here': ({ payment }) => payment && centsText(payment.cents),
  'Refunded here': ({ payment }) => payment && centsText(payment.refundedCents),
  Differences: ({ differences }) => differences.map(({ kind }) => kind).join(' '),
};

export const reconciliationCsv = ({ rows }: Reconciliation): string =>
  [
    csvLine(Object.keys(COLUMNS)),
    ...rows.map((row) => csvLine(Object.values(COLUMNS).map((cell) => cell(row)))),
  ].join('');
