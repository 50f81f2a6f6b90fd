import type { LEDGER_ENTRY_KINDS } from '@tallyhand/contracts/features/credits/credits.endpoints';

type Kind = (typeof LEDGER_ENTRY_KINDS)[number];

/** The entries of a kind in a part of a ledger; adjustments in both directions apart. */
export type LedgerSum = {
  readonly kind: Kind;
  readonly isNegative: boolean;
  readonly entries: number;
  readonly amount: number;
  /** Changes of the available and the reserved credits. */
  readonly available: number;
  readonly reserved: number;
};

/** An entry that added credits. Only those of a payment carry money. */
export type CreditLot = {
  readonly sequence: number;
  readonly at: string;
  readonly kind: 'granted' | 'purchased' | 'adjusted';
  readonly credits: number;
  readonly paymentId: string | null;
  readonly cents: number | null;
  readonly currency: string | null;
  /** Credits withdrawn by refunds and disputes, up to the opening and the closing. */
  readonly withdrawnBefore: number;
  readonly withdrawn: number;
};

/** What became of the credits and of the money of a lot, up to some entry. */
export type LotState = {
  readonly used: number;
  readonly withdrawn: number;
  readonly unused: number;
  readonly recognizedCents: number;
  readonly withdrawnCents: number;
  /** The money of the unused credits. */
  readonly deferredCents: number;
};

export const MOVEMENTS = [
  'granted',
  'purchased',
  'reserved',
  'charged',
  'released',
  'expired',
  'refunded',
  'reversed',
  'reinstated',
  'adjusted',
] as const satisfies readonly Kind[];

export type Balance = { readonly available: number; readonly reserved: number };
export type Movement = Balance & {
  readonly kind: (typeof MOVEMENTS)[number];
  readonly entries: number;
};

/** In hundredths of the currency: opening + purchases - withdrawn - recognized = closing. */
export type Revenue = {
  readonly currency: string;
  readonly deferredOpening: number;
  readonly purchases: number;
  readonly withdrawn: number;
  readonly recognized: number;
  readonly deferredClosing: number;
};

export type Statement = {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly month: string;
  /** The newest link of the ledger's chain at the end of the month; null before the first. */
  readonly head: { readonly sequence: number; readonly hash: string } | null;
  readonly opening: Balance;
  readonly movements: readonly Movement[];
  readonly closing: Balance;
  readonly revenue: readonly Revenue[];
  /** Lots with credits that were unused at the beginning or the end of the month, or added in it. */
  readonly lots: readonly (CreditLot & { readonly state: LotState })[];
};

export type StatementParts = Pick<
  Statement,
  'organizationId' | 'organizationName' | 'month' | 'head'
> & {
  readonly openingSequence: number;
  /** Up to the opening, and after it up to the closing. */
  readonly before: readonly LedgerSum[];
  readonly during: readonly LedgerSum[];
  readonly lots: readonly CreditLot[];
};

const EMPTY: LotState = {
  used: 0,
  withdrawn: 0,
  unused: 0,
  recognizedCents: 0,
  withdrawnCents: 0,
  deferredCents: 0,
};

export function statementOf(parts: StatementParts): Statement {
  const { openingSequence, before, during, lots, ...named } = parts;
  const all = [...before, ...during];
  const opening = balanceOf(before);
  const closing = balanceOf(all);
  const old = lots.filter(({ sequence }) => sequence <= openingSequence);
  const opened = lotStates(
    old.map((lot) => ({ ...lot, withdrawn: lot.withdrawnBefore })),
    consumedIn(before),
  );
  const closed = lotStates(lots, consumedIn(all));
  const states = lots.map((lot, index) => ({
    lot,
    opened: opened[index] ?? EMPTY,
    closed: closed[index] ?? EMPTY,
  }));
  return {
    ...named,
    opening,
    movements: MOVEMENTS.map((kind) => movementOf(kind, during)),
    closing,
    revenue: revenueOf(states, openingSequence),
    lots: states
      .filter(
        ({ lot, opened: before, closed: after }) =>
          before.unused > 0 || after.unused > 0 || lot.sequence > openingSequence,
      )
      .map(({ lot, closed: state }) => ({ ...lot, state })),
  };
}

/**
 * What became of each lot once so many credits were consumed. The oldest credits are used first.
 * Withdrawn credits are the last ones of their lot, and as if they had never been bought: what was
 * used of them is used of later lots instead.
 */
export function lotStates(lots: readonly CreditLot[], consumed: number): readonly LotState[] {
  let left = consumed;
  return lots.map(({ credits, withdrawn, cents }) => {
    const kept = credits - withdrawn;
    const used = Math.min(kept, left);
    left -= used;
    const moneyOf = (first: number) => Math.floor(((cents ?? 0) * first) / credits);
    const [recognizedCents, keptCents] = [moneyOf(used), moneyOf(kept)];
    return {
      used,
      withdrawn,
      unused: kept - used,
      recognizedCents,
      withdrawnCents: (cents ?? 0) - keptCents,
      deferredCents: keptCents - recognizedCents,
    };
  });
}

/** Credits that were consumed: charges without those that were refunded, and corrections down. */
function consumedIn(sums: readonly LedgerSum[]): number {
  const total = (is: (sum: LedgerSum) => boolean) =>
    sums.filter(is).reduce((sum, { amount }) => sum + amount, 0);
  return (
    total(({ kind }) => kind === 'charged') -
    total(({ kind }) => kind === 'refunded') -
    total(({ kind, isNegative }) => kind === 'adjusted' && isNegative)
  );
}

const balanceOf = (sums: readonly LedgerSum[]): Balance => ({
  available: sums.reduce((sum, { available }) => sum + available, 0),
  reserved: sums.reduce((sum, { reserved }) => sum + reserved, 0),
});

function movementOf(kind: Movement['kind'], sums: readonly LedgerSum[]): Movement {
  const own = sums.filter((sum) => sum.kind === kind);
  const entries = own.reduce((sum, each) => sum + each.entries, 0);
  return { kind, entries, ...balanceOf(own) };
}

type LotStates = {
  readonly lot: CreditLot;
  readonly opened: LotState;
  readonly closed: LotState;
};

/** One for each currency, in the order in which they were first paid with. */
function revenueOf(states: readonly LotStates[], openingSequence: number): readonly Revenue[] {
  const currencies = [...new Set(states.flatMap(({ lot: { currency } }) => currency ?? []))];
  return currencies.map((currency) => {
    const own = states.filter(({ lot }) => lot.currency === currency);
    const total = (of: (one: LotStates) => number) => own.reduce((sum, one) => sum + of(one), 0);
    return {
      currency,
      deferredOpening: total(({ opened }) => opened.deferredCents),
      purchases: total(({ lot }) => (lot.sequence > openingSequence ? (lot.cents ?? 0) : 0)),
      withdrawn: total(({ opened, closed }) => closed.withdrawnCents - opened.withdrawnCents),
      recognized: total(({ opened, closed }) => closed.recognizedCents - opened.recognizedCents),
      deferredClosing: total(({ closed }) => closed.deferredCents),
    };
  });
}
