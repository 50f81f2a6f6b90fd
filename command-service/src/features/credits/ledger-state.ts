import type {
  LedgerEvent,
  LimitScope,
  Work,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { WorkType } from '@tallyhand/contracts/features/credits/paid-work';

/** Repeats arrive within minutes, so only so many settled reservations are kept. */
const SETTLED_REMEMBERED_MAX = 10_000;
/** How many settled reservations keep their terms, for refunds and late charges. */
const TERMS_REMEMBERED_MAX = 1_000;

export type Terms = {
  readonly reservationId: string;
  readonly amount: number;
  readonly work: Work;
  readonly workType: WorkType;
  readonly agentId: string;
  readonly memberId: string | null;
};
export type Reservation = Terms & {
  readonly price: number;
  readonly expiresAt: string;
  /** The calendar month (UTC) that it counts for, as 2026-11. */
  readonly month: string;
};
export type Outcome = 'charged' | 'released' | 'expired' | 'refunded' | 'unbilled';
type Settled = { readonly amount: number; readonly outcome: Outcome };
type Purchase = { readonly amount: number; readonly reversed: number };

/** One ledger for each organization. `posted - reserved` never falls below zero by spending. */
export type Ledger = {
  posted: number;
  reserved: number;
  grants: Set<string>;
  adjustments: Set<string>;
  purchases: Map<string, Purchase>;
  open: Map<string, Reservation>;
  settled: Map<string, Settled>;
  recent: Map<string, Reservation>;
  /** Monthly credits by scope. */
  limits: Map<string, number>;
  /** Spent and reserved credits of each agent and member, in the newest month with spending. */
  spending: { month: string; byScope: Map<string, number> };
};

export const availableIn = (ledger: Ledger) => ledger.posted - ledger.reserved;

export const monthOf = (at: string) => at.slice(0, 7);

export const scopeKey = ({ kind, id }: LimitScope) => `${kind}:${id}`;

export function scopesOf({ agentId, memberId }: Pick<Terms, 'agentId' | 'memberId'>): LimitScope[] {
  const agent: LimitScope = { kind: 'agent', id: agentId };
  return memberId === null ? [agent] : [agent, { kind: 'member', id: memberId }];
}

export const spentIn = ({ spending }: Ledger, month: string, scope: LimitScope) =>
  spending.month === month ? (spending.byScope.get(scopeKey(scope)) ?? 0) : 0;

export const emptyLedger = (): Ledger => ({
  posted: 0,
  reserved: 0,
  grants: new Set(),
  adjustments: new Set(),
  purchases: new Map(),
  open: new Map(),
  settled: new Map(),
  recent: new Map(),
  limits: new Map(),
  spending: { month: '', byScope: new Map() },
});

/** Only the newest month counts toward limits. */
function spend(ledger: Ledger, reservation: Reservation, amount: number) {
  const { month } = reservation;
  if (month < ledger.spending.month) return;
  if (month > ledger.spending.month) ledger.spending = { month, byScope: new Map() };
  const { byScope } = ledger.spending;
  for (const scope of scopesOf(reservation)) {
    const key = scopeKey(scope);
    byScope.set(key, (byScope.get(key) ?? 0) + amount);
  }
}

function settle(ledger: Ledger, reservationId: string, outcome: Outcome) {
  const reservation = ledger.open.get(reservationId);
  if (!reservation) return;
  ledger.open.delete(reservationId);
  ledger.reserved -= reservation.amount;
  if (outcome === 'charged') ledger.posted -= reservation.amount;
  else spend(ledger, reservation, -reservation.amount);
  remember(ledger.settled, reservationId, { amount: reservation.amount, outcome });
  remember(ledger.recent, reservationId, reservation, TERMS_REMEMBERED_MAX);
}

function remember<V>(map: Map<string, V>, id: string, value: V, max = SETTLED_REMEMBERED_MAX) {
  map.set(id, value);
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

/** Replaces the outcome: a charge is refunded, or late work could not be paid. */
function changeOutcome(ledger: Ledger, reservationId: string, outcome: Outcome) {
  const settled = ledger.settled.get(reservationId);
  if (settled) ledger.settled.set(reservationId, { ...settled, outcome });
}

function reverse(ledger: Ledger, paymentId: string, amount: number) {
  ledger.posted -= amount;
  const purchase = ledger.purchases.get(paymentId);
  if (!purchase) return;
  ledger.purchases.set(paymentId, { ...purchase, reversed: purchase.reversed + amount });
}

/** Applies an event recorded at `at` to the ledger, and returns it. */
export function evolve(ledger: Ledger, { type, data }: LedgerEvent, at: string): Ledger {
  switch (type) {
    case 'CreditsGranted':
      ledger.posted += data.amount;
      ledger.grants.add(data.grantId);
      return ledger;
    case 'CreditsPurchased':
      ledger.posted += data.amount;
      ledger.purchases.set(data.paymentId, { amount: data.amount, reversed: 0 });
      return ledger;
    case 'CreditsReserved': {
      const { organizationId: _, ...terms } = data;
      const reservation = { ...terms, month: monthOf(at) };
      ledger.reserved += data.amount;
      ledger.open.set(data.reservationId, reservation);
      spend(ledger, reservation, data.amount);
      return ledger;
    }
    case 'ReservationExtended': {
      const open = ledger.open.get(data.reservationId);
      if (open) ledger.open.set(data.reservationId, { ...open, expiresAt: data.expiresAt });
      return ledger;
    }
    case 'CreditsCharged':
      settle(ledger, data.reservationId, 'charged');
      return ledger;
    case 'ReservationReleased':
      settle(ledger, data.reservationId, 'released');
      return ledger;
    case 'ReservationExpired':
      settle(ledger, data.reservationId, 'expired');
      return ledger;
    case 'UnbilledUsageRecorded':
      changeOutcome(ledger, data.reservationId, 'unbilled');
      return ledger;
    case 'CreditsRefunded': {
      const reservation = ledger.recent.get(data.reservationId);
      ledger.posted += data.amount;
      if (reservation) spend(ledger, reservation, -data.amount);
      changeOutcome(ledger, data.reservationId, 'refunded');
      return ledger;
    }
    case 'PaymentReversed':
      reverse(ledger, data.paymentId, data.amount);
      return ledger;
    case 'PaymentReinstated':
      reverse(ledger, data.paymentId, -data.amount);
      return ledger;
    case 'AdjustmentPosted':
      ledger.posted += data.amount;
      ledger.adjustments.add(data.adjustmentId);
      return ledger;
    case 'SpendLimitSet':
      if (data.monthlyCredits === null) ledger.limits.delete(scopeKey(data.scope));
      else ledger.limits.set(scopeKey(data.scope), data.monthlyCredits);
      return ledger;
  }
}

type Entries<T> = [string, T][];
/** There are thousands: a few long strings are saved and loaded much faster than objects. */
type SavedSettled = { ids: string; outcomes: string; amounts: number[] };

type Saved = {
  posted: number;
  reserved: number;
  grants: string[];
  adjustments: string[];
  purchases: Entries<Purchase>;
  open: Entries<Reservation>;
  settled: SavedSettled;
  recent: Entries<Reservation>;
  limits: Entries<number>;
  month: string;
  byScope: Entries<number>;
};

const OUTCOME_LETTERS = {
  charged: 'c',
  released: 'r',
  expired: 'e',
  refunded: 'f',
  unbilled: 'u',
} as const satisfies Record<Outcome, string>;

const OUTCOMES = new Map<string, Outcome>(
  Object.entries(OUTCOME_LETTERS).map(([outcome, letter]) => [letter, outcome as Outcome]),
);

function saveSettled(settled: Ledger['settled']): SavedSettled {
  const ends = [...settled.values()];
  return {
    ids: [...settled.keys()].join(' '),
    outcomes: ends.map(({ outcome }) => OUTCOME_LETTERS[outcome]).join(''),
    amounts: ends.map(({ amount }) => amount),
  };
}

function loadSettled({ ids, outcomes, amounts }: SavedSettled): Ledger['settled'] {
  const settled: Ledger['settled'] = new Map();
  if (ids === '') return settled;
  for (const [at, id] of ids.split(' ').entries()) {
    const outcome = OUTCOMES.get(outcomes[at] ?? '');
    const amount = amounts[at];
    if (!outcome || amount === undefined) throw new Error(`A saved ledger lacks the end of ${id}`);
    settled.set(id, { amount, outcome });
  }
  return settled;
}

/** The ledger as plain JSON, and back. */
export function saveLedger({ spending, ...ledger }: Ledger): Saved {
  return {
    posted: ledger.posted,
    reserved: ledger.reserved,
    grants: [...ledger.grants],
    adjustments: [...ledger.adjustments],
    purchases: [...ledger.purchases],
    open: [...ledger.open],
    settled: saveSettled(ledger.settled),
    recent: [...ledger.recent],
    limits: [...ledger.limits],
    month: spending.month,
    byScope: [...spending.byScope],
  };
}

export function loadLedger(saved: unknown): Ledger {
  const { month, byScope, ...rest } = saved as Saved;
  return {
    posted: rest.posted,
    reserved: rest.reserved,
    grants: new Set(rest.grants),
    adjustments: new Set(rest.adjustments),
    purchases: new Map(rest.purchases),
    open: new Map(rest.open),
    settled: loadSettled(rest.settled),
    recent: new Map(rest.recent),
    limits: new Map(rest.limits),
    spending: { month, byScope: new Map(byScope) },
  };
}
