import { writeFile } from 'node:fs/promises';
import { ProviderFault } from '@tallyhand/command-service/features/credits/payment-gateway';
import {
  type KnownPayment,
  type Period,
  type Reconciliation,
  reconcile,
  reconciliationCsv,
} from '@tallyhand/command-service/features/credits/payouts';
import { readStripeBalance } from '@tallyhand/command-service/features/credits/stripe-payouts';
import { centsText } from '@tallyhand/contracts/features/credits/credits.prices';
import type pg from 'pg';
import { OperatorError, type Outcome, parseCommand } from './command.ts';

const PAYOUTS_USAGE = `Compares payouts and fees of Stripe with the payments, while the product runs:
  npm run payouts -- --month 2026-10 [--output FILE]
      exits with 1 if anything differs; FILE gets every balance transaction as CSV`;

const options = { month: { type: 'string' }, output: { type: 'string' } } as const;

type StripeKeys = {
  readonly STRIPE_SECRET_KEY?: string | undefined;
  readonly STRIPE_API_BASE?: string | undefined;
};

/** Compares a month (UTC) of the whole installation: a Stripe account belongs to it. */
export async function runPayoutsCommand(
  args: readonly string[],
  pool: Pick<pg.Pool, 'query'>,
  { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase }: StripeKeys,
): Promise<Outcome> {
  const { positionals, values } = parseCommand(args, options, PAYOUTS_USAGE);
  if (positionals.length > 0) throw new OperatorError(PAYOUTS_USAGE);
  const period = periodOf(values.month);
  if (!secretKey) throw new OperatorError('STRIPE_SECRET_KEY is missing: it reads the payouts.');
  const { changes, payouts } = await readStripeBalance(
    { secretKey, ...(apiBase ? { apiBase } : {}) },
    period,
  ).catch((error: unknown) => {
    throw error instanceof ProviderFault ? new OperatorError(error.message) : error;
  });
  const transactions = changes.flatMap(({ paymentTransaction }) => paymentTransaction ?? []);
  const payments = await readPayments(pool, period, transactions);
  const found = reconcile({ period, changes, payouts, payments });
  if (values.output !== undefined) await write(values.output, reconciliationCsv(found));
  const all = [...found.rows.flatMap(({ differences }) => differences), ...found.payouts];
  const count = all.length === 1 ? '1 difference.' : `${all.length} differences.`;
  return {
    lines: [
      ...totalsOf(found),
      ...all.map(({ kind, sentence }) => `${kind}: ${sentence}`),
      all.length === 0 ? 'Nothing differs.' : count,
    ],
    isWell: all.length === 0,
  };
}

function periodOf(month: string | undefined): Period {
  const [, year, number] = /^(?!0000)(\d{4})-(0[1-9]|1[0-2])$/.exec(month ?? '') ?? [];
  if (!year || !number) {
    throw new OperatorError(`--month must be a month, as 2026-10.\n\n${PAYOUTS_USAGE}`);
  }
  const start = (at: number) => new Date(Date.UTC(Number(year), at, 1));
  const period = { from: start(Number(number) - 1), until: start(Number(number)) };
  if (period.from > new Date()) throw new OperatorError('--month must not be in the future.');
  return period;
}

async function write(file: string, csv: string) {
  try {
    await writeFile(file, csv);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`--output: ${file} can't be written (${code}).`);
  }
}

/** The successful payments that were begun in the period, or have one of these transactions. */
async function readPayments(
  pool: Pick<pg.Pool, 'query'>,
  { from, until }: Period,
  transactions: readonly string[],
): Promise<KnownPayment[]> {
  const { rows } = await pool.query<KnownPayment>(
    `select p.payment_id as "paymentId", p.organization_id as "organizationId",
       p.transaction_id as transaction, p.cents::float8 as cents, p.currency,
       p.refunded_cents::float8 as "refundedCents", p.dispute_outcome is not null as "isDisputed",
       p.created_at as "createdAt"
     from read_model.payments p
     where p.provider = 'stripe' and p.status = 'succeeded' and p.transaction_id is not null
       and (p.created_at >= $1 and p.created_at < $2 or p.transaction_id = any($3))
     order by p.created_at, p.payment_id`,
    [from, until, [...new Set(transactions)]],
  );
  return rows;
}

function totalsOf({ rows }: Reconciliation): string[] {
  const changes = rows.flatMap(({ change }) => change ?? []);
  const currencies = [...new Set(changes.map(({ currency }) => currency))].toSorted();
  if (currencies.length === 0) return ['No balance transactions.'];
  return currencies.map((currency) => {
    const own = changes.filter((change) => change.currency === currency);
    const total = (of: (change: (typeof own)[number]) => number) =>
      centsText(own.reduce((sum, change) => sum + of(change), 0));
    const payouts = new Set(own.flatMap(({ payoutId }) => payoutId ?? []));
    const open = own.filter(({ payoutId }) => payoutId === null).length;
    return (
      `${currency.toUpperCase()}: ${own.length} balance transactions of ${total(({ amount }) => amount)}, ` +
      `fees ${total(({ fee }) => fee)}, net ${total(({ net }) => net)}; ` +
      `${payouts.size} payouts, ${open} transactions not paid out.`
    );
  });
}
