import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../kit/stream-policy.ts';
import { ledgerStream } from './ledger.decider.ts';
import { availableIn } from './ledger-state.ts';
import { histories } from './testing/ledger-commands.ts';
import {
  type Answered,
  type Fault,
  ledgerSimulation,
  type Plan,
} from './testing/ledger-simulation.ts';
import { outcomeText, PaperLedger } from './testing/paper-ledger.ts';

const STEPS_MAX = 40;

const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fault>('none') },
  { weight: 2, arbitrary: fc.constantFrom<Fault>('lost-before', 'lost-after', 'writer-dies') },
);
const plans: fc.Arbitrary<Plan[]> = histories(STEPS_MAX).chain((steps) =>
  fc.tuple(
    ...steps.map((step) =>
      fc.record({ writer: fc.nat(2), fault }).map((how) => ({ ...step, ...how })),
    ),
  ),
);

/** The events that one command caused at one go. */
function groupsOf(stored: readonly StoredEvent[]) {
  const groups: { commandId: string; at: number; events: StoredEvent[] }[] = [];
  for (const [at, event] of stored.entries()) {
    const { commandId } = event.envelope;
    const last = groups.at(-1);
    if (last?.commandId === commandId) last.events.push(event);
    else groups.push({ commandId, at, events: [event] });
  }
  return groups;
}

/** The expected ledger after each number of events, computed from the commands. */
function onPaper(stored: readonly StoredEvent[], answered: readonly Answered[]) {
  const paper = new PaperLedger();
  const after = new Map([[0, paper.copy()]]);
  for (const { commandId, at, events } of groupsOf(stored)) {
    const { step } = answered.find((one) => one.commandId === commandId) ?? expect.fail();
    const written = outcomeText(events.map((event) => decodeEvent(ledgerStream, event)));
    expect(written).toBe(paper.take(step.command, step.at));
    after.set(at + events.length, paper.copy());
  }
  return { paper, after };
}

describe('a ledger with several writers, lost answers and dying writers', () => {
  it('equals at each event what a single writer would have written', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.scheduler(), async (history, scheduler) => {
        const simulation = ledgerSimulation(() => scheduler.schedule(Promise.resolve()));
        const asked = Promise.all(history.map((plan, n) => simulation.ask(plan, n)));
        const answered = await scheduler.waitFor(asked);
        const { stored } = simulation;
        expect(simulation.isChain()).toBe(true);

        const { paper, after } = onPaper(stored, answered);
        const wrote = new Set(stored.map(({ envelope }) => envelope.commandId));
        // A command that changed nothing got an answer that was true at some moment meanwhile.
        for (const one of answered.filter(({ commandId }) => !wrote.has(commandId))) {
          const moments = [...after].filter(([at]) => at >= one.before && at <= one.after);
          const possible = moments.map(([, ledger]) =>
            ledger.copy().take(one.step.command, one.step.at),
          );
          expect(possible).toContain(one.outcome);
        }
        for (const state of await scheduler.waitFor(simulation.states())) {
          expect(availableIn(state)).toBe(paper.available);
        }
      }),
      reportedRuns(200, 10_000),
    );
  }, 600_000);
});
