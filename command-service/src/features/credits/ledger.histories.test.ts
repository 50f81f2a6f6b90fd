import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import type { LedgerEvent } from '@tallyhand/contracts/features/credits/credits.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT } from '../../kit/testing/given.ts';
import { availableIn, type Ledger, ledgerDecider } from './ledger.decider.ts';

const organizationId = derivedId('organization');
const agentId = derivedId('agent');
const expiresAt = '2026-11-21T08:30:00.000Z';

// Few ids and small amounts, so that commands meet: repeats, shortages and late ends are common.
const id = (what: string) => fc.integer({ min: 0, max: 7 }).map((n) => derivedId(what, String(n)));
const amount = fc.integer({ min: 1, max: 12 });

const grants = fc.record({ grantId: id('grant'), amount }).map(
  (data): LedgerCommand => ({
    type: 'GrantCredits',
    data: { organizationId, ...data, reason: 'sign-up' },
  }),
);
const reserves = fc.record({ reservationId: id('work'), amount }).map(
  ({ reservationId, amount }): LedgerCommand => ({
    type: 'ReserveCredits',
    data: {
      ...{ organizationId, reservationId, amount, agentId, expiresAt },
      work: { kind: 'task', id: reservationId },
      memberId: null,
      price: 1,
    },
  }),
);
const charges = id('work').map(
  (reservationId): LedgerCommand => ({
    type: 'ChargeCredits',
    data: { organizationId, reservationId },
  }),
);
const releases = id('work').map(
  (reservationId): LedgerCommand => ({
    type: 'ReleaseReservation',
    data: { organizationId, reservationId, reason: 'work-failed' },
  }),
);
const commands = fc.array(fc.oneof(grants, reserves, charges, releases), { maxLength: 120 });

/** The code of the refusal, the kinds of the events, or nothing: what a caller learns. */
type Outcome = string;

function decide(ledger: Ledger, command: LedgerCommand) {
  const decided = ledgerDecider.decide(command, ledger);
  if (isRefusal(decided)) return { outcome: decided.code as Outcome, events: [] };
  for (const event of decided) ledgerDecider.evolve(ledger, event, RECORDED_AT);
  return { outcome: decided.map(({ type }) => type).join(), events: decided };
}

/** The ledger as a person would keep it on paper: one list of grants, one of reservations. */
class PaperLedger {
  readonly grants = new Map<string, number>();
  readonly reservations = new Map<
    string,
    { amount: number; end: 'open' | 'charged' | 'released' }
  >();

  get available() {
    let sum = 0;
    for (const granted of this.grants.values()) sum += granted;
    for (const { amount, end } of this.reservations.values()) if (end !== 'released') sum -= amount;
    return sum;
  }

  expects(command: LedgerCommand): Outcome {
    switch (command.type) {
      case 'GrantCredits':
        if (this.grants.has(command.data.grantId)) return '';
        this.grants.set(command.data.grantId, command.data.amount);
        return 'CreditsGranted';
      case 'ReserveCredits': {
        const { reservationId, amount } = command.data;
        const known = this.reservations.get(reservationId);
        if (known) return known.amount === amount ? '' : 'reservation-differs';
        if (amount > this.available) return 'insufficient-credits';
        this.reservations.set(reservationId, { amount, end: 'open' });
        return 'CreditsReserved';
      }
      case 'ChargeCredits':
        return this.ends(command.data.reservationId, 'charged', 'CreditsCharged');
      case 'ReleaseReservation':
        return this.ends(command.data.reservationId, 'released', 'ReservationReleased');
    }
  }

  private ends(reservationId: string, end: 'charged' | 'released', event: string): Outcome {
    const known = this.reservations.get(reservationId);
    if (!known) return 'reservation-not-found';
    if (known.end === end) return '';
    if (known.end !== 'open') return 'reservation-settled';
    known.end = end;
    return event;
  }
}

/** Plays a history; `look` sees the ledger after each command. */
function play(history: readonly LedgerCommand[], look: (ledger: Ledger) => void = () => {}) {
  const ledger = ledgerDecider.initialState();
  const events: LedgerEvent[] = [];
  for (const command of history) {
    events.push(...decide(ledger, command).events);
    look(ledger);
  }
  return { ledger, events };
}

describe('a ledger, over any history of commands', () => {
  it('answers and counts as a ledger on paper does', () => {
    fc.assert(
      fc.property(commands, (history) => {
        const paper = new PaperLedger();
        const ledger = ledgerDecider.initialState();
        for (const command of history) {
          expect(decide(ledger, command).outcome).toBe(paper.expects(command));
          expect(availableIn(ledger)).toBe(paper.available);
        }
      }),
    );
  });

  it('never spends what is not there', () => {
    fc.assert(
      fc.property(commands, (history) => {
        play(history, (ledger) => {
          expect(availableIn(ledger)).toBeGreaterThanOrEqual(0);
          expect(ledger.reserved).toBeGreaterThanOrEqual(0);
        });
      }),
    );
  });

  it('begins each reservation once and ends it at most once', () => {
    fc.assert(
      fc.property(commands, (history) => {
        const { events } = play(history);
        const begun = new Set<string>();
        const ended = new Set<string>();
        for (const { type, data } of events) {
          if (type === 'CreditsGranted') continue;
          const seen = type === 'CreditsReserved' ? begun : ended;
          expect(seen).not.toContain(data.reservationId);
          seen.add(data.reservationId);
        }
        expect(ended.isSubsetOf(begun)).toBe(true);
      }),
    );
  });

  it('is a chain: each event names the hash of the one before it, as it is stored', () => {
    fc.assert(
      fc.property(commands, (history) => {
        let prev = '';
        for (const { type, data } of play(history).events) {
          const stored = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
          expect(isNextLink(prev, type, stored)).toBe(true);
          prev = data.hash;
        }
      }),
    );
  });

  it('shows a change of any stored event, and the lack of any but the last', () => {
    const intact = (events: readonly LedgerEvent[]) =>
      events.every(({ type, data }, i) => isNextLink(events[i - 1]?.data.hash ?? '', type, data));
    fc.assert(
      fc.property(commands, fc.nat(), (history, at) => {
        const { events } = play(history);
        fc.pre(events.length > 1);
        const i = at % events.length;
        const changed = events.map((event, n) =>
          n === i ? { ...event, data: { ...event.data, amount: event.data.amount + 1 } } : event,
        ) as LedgerEvent[];
        expect(intact(changed)).toBe(false);
        if (i < events.length - 1) expect(intact(events.toSpliced(i, 1))).toBe(false);
      }),
    );
  });

  it('decides the same from a snapshot as from its events', () => {
    fc.assert(
      fc.property(commands, commands, (before, after) => {
        const { ledger } = play(before);
        const saved = JSON.parse(JSON.stringify(ledgerDecider.snapshot?.save(ledger)));
        const loaded = ledgerDecider.snapshot?.load(saved) ?? expect.fail('no snapshot');
        for (const command of after)
          expect(decide(loaded, command)).toEqual(decide(ledger, command));
        expect(loaded).toEqual(ledger);
      }),
    );
  });

  it('folds to the same state from its stored events', () => {
    fc.assert(
      fc.property(commands, (history) => {
        const { ledger, events } = play(history);
        const folded = ledgerDecider.initialState();
        for (const event of events) ledgerDecider.evolve(folded, event, RECORDED_AT);
        expect(folded).toEqual(ledger);
      }),
    );
  });
});
