import { csvCells } from '@tallyhand/service-kit/csv';
import { describe, expect, it } from 'vitest';
import {
  type BalanceChange,
  type KnownPayment,
  type Payout,
  reconcile,
  reconciliationCsv,
} from './payouts.ts';

const period = { from: new Date('2026-10-01T00:00:00Z'), until: new Date('2026-11-01T00:00:00Z') };

const payment = (change: Partial<KnownPayment> = {}): KnownPayment => ({
  paymentId: '0193a1b2-0000-7000-8000-000000000001',
  organizationId: '0193a1b2-0000-7000-8000-000000000002',
  transaction: 'pi_1',
  cents: 4_900,
  currency: 'usd',
  refundedCents: 0,
  isDisputed: false,
  createdAt: new Date('2026-10-05T08:00:00Z'),
  ...change,
});
const charge = (change: Partial<BalanceChange> = {}): BalanceChange => ({
  id: 'txn_1',
  kind: 'charge',
  at: new Date('2026-10-05T08:01:00Z'),
  amount: 4_900,
  fee: 172,
  feeParts: 172,
  net: 4_728,
  currency: 'usd',
  payoutId: 'po_1',
  paymentTransaction: 'pi_1',
  charged: { amount: 4_900, currency: 'usd', refunded: 0 },
  ...change,
});
const refund = (cents: number, change: Partial<BalanceChange> = {}) =>
  charge({
    id: 'txn_2',
    kind: 'refund',
    amount: -cents,
    fee: 0,
    feeParts: 0,
    net: -cents,
    charged: null,
    ...change,
  });
const payout = (amount: number, net: number | null): Payout => ({
  id: 'po_1',
  amount,
  currency: 'usd',
  at: period.from,
  net,
});

const kindsOf = (
  changes: readonly BalanceChange[],
  payments: readonly KnownPayment[],
  payouts: readonly Payout[] = [],
) => {
  const found = reconcile({ period, changes, payments, payouts });
  return [...found.rows.flatMap(({ differences }) => differences), ...found.payouts].map(
    ({ kind }) => kind,
  );
};

describe('the reconciliation of payouts', () => {
  it('finds nothing where each payment has one charge, also when the charge is of the next month', () => {
    expect(kindsOf([charge()], [payment()], [payout(4_728, 4_728)])).toEqual([]);
    const late = charge({ at: new Date('2026-11-03T00:00:00Z') });
    expect(kindsOf([late], [payment()])).toEqual([]);
    const before = payment({ createdAt: new Date('2026-09-30T23:59:00Z') });
    expect(kindsOf([charge()], [before])).toEqual([]);
    // The balance has the amount after its conversion.
    expect(kindsOf([charge({ currency: 'eur', amount: 4_500, net: 4_328 })], [payment()])).toEqual(
      [],
    );
  });

  it.each<[string, Parameters<typeof kindsOf>, string[]]>([
    ['a charge without a payment', [[charge()], []], ['missing-here']],
    ['a refund without a payment', [[refund(100)], []], ['missing-here']],
    ['a payment without a charge', [[], [payment()]], ['missing-there']],
    ['two charges', [[charge(), charge({ id: 'txn_9' })], [payment()]], ['repeated']],
    ['another amount', [[charge()], [payment({ cents: 19_900 })]], ['amount']],
    [
      'another amount in the balance',
      [[charge({ amount: 4_800, net: 4_628 })], [payment()]],
      ['amount'],
    ],
    ['another currency', [[charge()], [payment({ currency: 'eur' })]], ['currency']],
    [
      'a refund that is unknown here',
      [[charge({ charged: { amount: 4_900, currency: 'usd', refunded: 900 } })], [payment()]],
      ['refund'],
    ],
    ['a refund that is unknown there', [[charge()], [payment({ refundedCents: 900 })]], ['refund']],
    [
      'a refund of an older payment that is unknown here',
      [[refund(900)], [payment({ createdAt: new Date('2026-08-01T00:00:00Z') })]],
      ['refund'],
    ],
    [
      'a dispute that is unknown here',
      [[charge(), refund(4_900, { kind: 'dispute' })], [payment()]],
      ['dispute'],
    ],
    ['a fee that does not add up', [[charge({ net: 4_700 })], [payment()]], ['fee']],
    ['a fee whose parts differ', [[charge({ feeParts: 100 })], [payment()]], ['fee']],
    ['a payout of another amount', [[charge()], [payment()], [payout(4_700, 4_728)]], ['payout']],
    ['a manual payout', [[charge()], [payment()], [payout(4_700, null)]], []],
    ['fees of the provider', [[charge({ kind: 'other', charged: null })], []], []],
  ])('names %s', (_, given, expected) => {
    expect(kindsOf(...given)).toEqual(expected);
  });

  it('is a CSV file of each balance transaction, and of payments that have none', () => {
    const csv = reconciliationCsv(
      reconcile({
        period,
        changes: [charge()],
        payouts: [],
        payments: [payment(), payment({ transaction: 'pi_2' })],
      }),
    );
    const [head = [], first = [], second = []] = csv
      .split(/(?<=\r\n)/)
      .map((line) => csvCells(line) ?? []);
    const cell = (cells: readonly string[], name: string) => cells[head.indexOf(name)];
    expect(cell(first, 'Payout')).toBe('po_1');
    expect(cell(first, 'Fee')).toBe('1.72');
    expect(cell(second, 'Provider transaction')).toBe('pi_2');
    expect(cell(second, 'Differences')).toBe('missing-there');
  });
});
