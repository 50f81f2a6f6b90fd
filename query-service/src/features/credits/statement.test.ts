import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CreditLot,
  type LedgerSum,
  lotStates,
  type Statement,
  type StatementParts,
  statementOf,
} from './statement.ts';

/** A simple ledger: what a reader of its entries would add up one by one. */
type Entry = {
  readonly kind: LedgerSum['kind'];
  readonly amount: number;
  readonly available: number;
  readonly reserved: number;
  readonly paymentId?: string;
  readonly cents?: number;
};

const MOVES = [
  'granted',
  'purchased',
  'charged',
  'refunded',
  'withdrawn',
  'reinstated',
  'up',
  'down',
  'reserved',
  'released',
] as const;
const moves = fc.array(
  fc.record({ move: fc.constantFrom(...MOVES), size: fc.nat({ max: 400 }), which: fc.nat() }),
  { maxLength: 60 },
);

/** A ledger that follows the rules of its decider. */
function ledgerOf(steps: readonly { move: (typeof MOVES)[number]; size: number; which: number }[]) {
  const entries: Entry[] = [];
  const bought: { id: string; credits: number; withdrawn: number }[] = [];
  let [available, reserved, charged] = [0, 0, 0];
  const add = (kind: Entry['kind'], amount: number, change: number, held = 0, more = {}) => {
    if (amount === 0) return;
    entries.push({ kind, amount, available: change, reserved: held, ...more });
    available += change;
    reserved += held;
  };
  for (const { move, size, which } of steps) {
    const purchase = bought[which % Math.max(1, bought.length)];
    const spendable = Math.min(size, Math.max(0, available));
    if (move === 'granted') add('granted', size, size);
    if (move === 'up') add('adjusted', size, size);
    if (move === 'down') add('adjusted', -size, -size);
    if (move === 'reserved') add('reserved', spendable, -spendable, spendable);
    if (move === 'purchased' && size > 0) {
      const id = `payment-${bought.length}`;
      bought.push({ id, credits: size, withdrawn: 0 });
      add('purchased', size, size, 0, { paymentId: id, cents: (which % 5_000) + 1 });
    }
    if (move === 'released') {
      const amount = Math.min(size, reserved);
      add('released', amount, amount, -amount);
    }
    if (move === 'charged') {
      const amount = Math.min(size, reserved);
      charged += amount;
      add('charged', amount, 0, -amount);
    }
    if (move === 'refunded') {
      const amount = Math.min(size, charged);
      charged -= amount;
      add('refunded', amount, amount);
    }
    if (move === 'withdrawn' && purchase) {
      const amount = Math.min(size, purchase.credits - purchase.withdrawn);
      purchase.withdrawn += amount;
      add('reversed', amount, -amount, 0, { paymentId: purchase.id });
    }
    if (move === 'reinstated' && purchase) {
      const amount = Math.min(size, purchase.withdrawn);
      purchase.withdrawn -= amount;
      add('reinstated', amount, amount, 0, { paymentId: purchase.id });
    }
  }
  return entries;
}

const sumsOf = (entries: readonly Entry[]): LedgerSum[] =>
  entries.map(({ kind, amount, available, reserved }) => ({
    kind,
    isNegative: amount < 0,
    entries: 1,
    amount,
    available,
    reserved,
  }));

function statementBetween(entries: readonly Entry[], opening: number, closing: number): Statement {
  const withdrawn = (paymentId: string | undefined, until: number) =>
    entries.slice(0, until).reduce((sum, { kind, amount, paymentId: id }) => {
      if (paymentId === undefined || id !== paymentId) return sum;
      return sum + (kind === 'reversed' ? amount : kind === 'reinstated' ? -amount : 0);
    }, 0);
  const lots = entries.slice(0, closing).flatMap((entry, index): CreditLot[] => {
    const { kind, amount, paymentId, cents } = entry;
    if (amount <= 0 || (kind !== 'granted' && kind !== 'purchased' && kind !== 'adjusted')) {
      return [];
    }
    return [
      {
        sequence: index + 1,
        at: '2026-10-02T00:00:00.000Z',
        kind,
        credits: amount,
        paymentId: paymentId ?? null,
        cents: cents ?? null,
        currency: cents === undefined ? null : 'usd',
        withdrawnBefore: withdrawn(paymentId, opening),
        withdrawn: withdrawn(paymentId, closing),
      },
    ];
  });
  const parts: StatementParts = {
    organizationId: '0193a1b2-0000-7000-8000-000000000003',
    organizationName: 'Larkfell',
    month: '2026-10',
    head: null,
    openingSequence: opening,
    before: sumsOf(entries.slice(0, opening)),
    during: sumsOf(entries.slice(opening, closing)),
    lots,
  };
  return statementOf(parts);
}

const added = (all: readonly Entry[], of: 'available' | 'reserved') =>
  all.reduce((sum, entry) => sum + entry[of], 0);

describe('a statement', () => {
  it('has opening + movements = closing, to the last credit, in any part of any ledger', () => {
    fc.assert(
      fc.property(moves, fc.nat(), fc.nat(), (steps, one, other) => {
        const entries = ledgerOf(steps);
        const [opening = 0, closing = 0] = [one, other]
          .map((at) => at % (entries.length + 1))
          .sort((a, b) => a - b);
        const statement = statementBetween(entries, opening, closing);
        for (const side of ['available', 'reserved'] as const) {
          expect(statement.opening[side]).toBe(added(entries.slice(0, opening), side));
          expect(statement.closing[side]).toBe(added(entries.slice(0, closing), side));
          const moved = statement.movements.reduce((sum, movement) => sum + movement[side], 0);
          expect(statement.opening[side] + moved).toBe(statement.closing[side]);
        }
      }),
    );
  });

  it('has deferred + recognized + withdrawn = paid, and nothing of it is ever negative', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        const entries = ledgerOf(steps);
        const { revenue, lots } = statementBetween(entries, 0, entries.length);
        const paid = entries.reduce((sum, { cents = 0 }) => sum + cents, 0);
        const [{ purchases, withdrawn, recognized, deferredClosing } = NONE] = revenue;
        expect(purchases).toBe(paid);
        expect(deferredClosing + recognized + withdrawn).toBe(paid);
        for (const { state } of lots) {
          expect(Math.min(...Object.values(state))).toBeGreaterThanOrEqual(0);
        }
        // Without money that is owed, the unused credits are the balance.
        const unused = lots.reduce((sum, { state }) => sum + state.unused, 0);
        const posted = added(entries, 'available') + added(entries, 'reserved');
        expect(unused).toBe(Math.max(0, posted));
      }),
    );
  });

  it('continues where the one before it ended', () => {
    fc.assert(
      fc.property(moves, fc.nat(), (steps, at) => {
        const entries = ledgerOf(steps);
        const middle = at % (entries.length + 1);
        const first = statementBetween(entries, 0, middle);
        const second = statementBetween(entries, middle, entries.length);
        const whole = statementBetween(entries, 0, entries.length);
        expect(second.opening).toEqual(first.closing);
        expect(second.closing).toEqual(whole.closing);
        const [one = NONE, two = NONE, both = NONE] = [first, second, whole].map(
          ({ revenue: [usd] }) => usd ?? NONE,
        );
        expect(two.deferredOpening).toBe(one.deferredClosing);
        expect(two.deferredClosing).toBe(both.deferredClosing);
        const deferred = second.lots.reduce((sum, { state }) => sum + state.deferredCents, 0);
        expect(deferred).toBe(two.deferredClosing);
        for (const figure of ['purchases', 'withdrawn', 'recognized'] as const) {
          expect(one[figure] + two[figure]).toBe(both[figure]);
        }
      }),
    );
  });

  it('lists a lot that was used up before the month, if a refund brings credits back', () => {
    const used = (['purchased', 'reserved', 'charged'] as const).map((move) => ({
      move,
      size: 100,
      which: 4_899,
    }));
    const entries = ledgerOf([...used, { move: 'refunded', size: 10, which: 0 }]);
    const { lots, revenue } = statementBetween(entries, used.length, entries.length);
    expect(lots.map(({ state }) => [state.unused, state.deferredCents])).toEqual([[10, 490]]);
    expect(revenue[0]?.deferredClosing).toBe(490);
  });
});

const NONE = {
  currency: 'usd',
  deferredOpening: 0,
  purchases: 0,
  withdrawn: 0,
  recognized: 0,
  deferredClosing: 0,
};

describe('the revenue of credits', () => {
  const lot = (credits: number, cents: number | null, withdrawn = 0): CreditLot => ({
    sequence: 1,
    at: '2026-10-02T00:00:00.000Z',
    kind: cents === null ? 'granted' : 'purchased',
    credits,
    paymentId: null,
    cents,
    currency: cents === null ? null : 'usd',
    withdrawnBefore: 0,
    withdrawn,
  });
  const deferred = (lots: readonly CreditLot[], consumed: number) =>
    lotStates(lots, consumed).map(({ deferredCents }) => deferredCents);

  it('is recognized of the oldest credits first; promotional credits carry no money', () => {
    const lots = [lot(100, null), lot(100, 4_900), lot(500, 19_900)];
    expect(deferred(lots, 100)).toEqual([0, 4_900, 19_900]);
    expect(deferred(lots, 150)).toEqual([0, 2_450, 19_900]);
    expect(deferred(lots, 201)).toEqual([0, 0, 19_861]);
    expect(deferred(lots, 700)).toEqual([0, 0, 0]);
  });

  it('of a withdrawn purchase is no revenue, and what was used of it is used of later credits', () => {
    const lots = [lot(100, 4_900, 100), lot(500, 19_900)];
    const [first, second] = lotStates(lots, 40);
    expect(first).toMatchObject({ used: 0, recognizedCents: 0, withdrawnCents: 4_900 });
    expect(second).toMatchObject({ used: 40, recognizedCents: 1_592, deferredCents: 18_308 });
  });

  it('never exceeds what was paid when more was consumed than there was', () => {
    expect(deferred([lot(100, 4_900)], 130)).toEqual([0]);
  });
});
