import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerDecider, ledgerStream } from './ledger.decider.ts';
import { availableIn, type Ledger } from './ledger-state.ts';
import { histories, type Step } from './testing/ledger-commands.ts';
import { outcomeText, PaperLedger } from './testing/paper-ledger.ts';

const history = histories(120);

function take(ledger: Ledger, { command, at }: Step) {
  const decided = ledgerDecider.decide(command, ledger);
  const events = isRefusal(decided) ? [] : decided;
  for (const event of events) ledgerDecider.evolve(ledger, event, at);
  return { outcome: outcomeText(decided), events: events.map((event) => ({ event, at })) };
}

/** Replays a history; `look` sees the ledger after each command. */
function play(steps: readonly Step[], look: (ledger: Ledger) => void = () => {}) {
  const ledger = ledgerDecider.initialState();
  const events = steps.flatMap((step) => {
    const taken = take(ledger, step);
    look(ledger);
    return taken.events;
  });
  return { ledger, events };
}

describe('a ledger, over any history of commands', () => {
  it('answers and counts as a ledger on paper does', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const paper = new PaperLedger();
        const ledger = ledgerDecider.initialState();
        for (const step of steps) {
          expect(take(ledger, step).outcome).toBe(paper.take(step.command, step.at));
          expect(availableIn(ledger)).toBe(paper.available);
        }
      }),
      reportedRuns(300, 10_000),
    );
  }, 600_000);

  it('falls below zero only by operator corrections and payment reversals', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const ledger = ledgerDecider.initialState();
        for (const step of steps) {
          const before = availableIn(ledger);
          const { events } = take(ledger, step);
          const after = availableIn(ledger);
          expect(ledger.reserved).toBeGreaterThanOrEqual(0);
          if (after >= 0 || after >= before) continue;
          const taking = ['PaymentReversed', 'AdjustmentPosted'];
          expect(taking).toContain(events[0]?.event.type);
        }
      }),
    );
  });

  it('begins each reservation once and ends it at most once', () => {
    const ends = ['CreditsCharged', 'ReservationReleased', 'ReservationExpired'];
    fc.assert(
      fc.property(history, (steps) => {
        const begun = new Set<string>();
        const ended = new Set<string>();
        for (const { event } of play(steps).events) {
          if (!('reservationId' in event.data)) continue;
          const { reservationId } = event.data;
          if (event.type === 'CreditsReserved') {
            expect(begun).not.toContain(reservationId);
            begun.add(reservationId);
          } else if (ends.includes(event.type)) {
            expect(ended).not.toContain(reservationId);
            ended.add(reservationId);
          }
        }
        expect(ended.isSubsetOf(begun)).toBe(true);
      }),
    );
  });

  it('decides the same from a snapshot as from its events', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const { ledger } = play(before);
        const saved = JSON.parse(JSON.stringify(ledgerStream.snapshot?.save(ledger)));
        const loaded = ledgerStream.snapshot?.load(saved) ?? expect.fail('no snapshot');
        for (const step of after) expect(take(loaded, step)).toEqual(take(ledger, step));
        expect(loaded).toEqual(ledger);
      }),
    );
  });

  it('reaches the same state from its events as stored', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { ledger, events } = play(steps);
        const folded = ledgerDecider.initialState();
        for (const { event, at } of events) {
          ledgerDecider.evolve(folded, JSON.parse(JSON.stringify(event)), at);
        }
        expect(folded).toEqual(ledger);
      }),
    );
  });
});
