/**
 * The accounts of the double entry. `available` and `reserved` are liabilities to the customer and
 * `usage` is what the customer consumed: credits increase them, debits decrease them. `promotion`
 * and `payment-clearing` are the sources of credits: debits increase them. `adjustments` goes
 * either way. The sum of debits equals the sum of credits.
 */
export const ACCOUNTS = [
  'available',
  'reserved',
  'usage',
  'promotion',
  'payment-clearing',
  'adjustments',
] as const;
export type Account = (typeof ACCOUNTS)[number];

/** A movement of credits between two accounts. */
export type Posting = { readonly debit: Account; readonly credit: Account };

/**
 * The double entry of the `amount` of each event of a ledger; a negative amount reverses it. Null
 * where nothing moves.
 */
export const POSTINGS = {
  CreditsGranted: { debit: 'promotion', credit: 'available' },
  CreditsPurchased: { debit: 'payment-clearing', credit: 'available' },
  CreditsReserved: { debit: 'available', credit: 'reserved' },
  ReservationExtended: null,
  CreditsCharged: { debit: 'reserved', credit: 'usage' },
  ReservationReleased: { debit: 'reserved', credit: 'available' },
  ReservationExpired: { debit: 'reserved', credit: 'available' },
  UnbilledUsageRecorded: null,
  CreditsRefunded: { debit: 'usage', credit: 'available' },
  PaymentReversed: { debit: 'available', credit: 'payment-clearing' },
  PaymentReinstated: { debit: 'payment-clearing', credit: 'available' },
  AdjustmentPosted: { debit: 'adjustments', credit: 'available' },
  SpendLimitSet: null,
} as const satisfies Readonly<Record<string, Posting | null>>;

/** A line of a journal: one of its sides is 0. */
export type JournalLine = {
  readonly account: Account;
  readonly debit: number;
  readonly credit: number;
};

/** Both lines of a posting; none when nothing moves. */
export function journalLines(posting: Posting | null, amount: number): readonly JournalLine[] {
  if (!posting || amount === 0) return [];
  const size = Math.abs(amount);
  const [debit, credit] =
    amount > 0 ? [posting.debit, posting.credit] : [posting.credit, posting.debit];
  return [
    { account: debit, debit: size, credit: 0 },
    { account: credit, debit: 0, credit: size },
  ];
}
