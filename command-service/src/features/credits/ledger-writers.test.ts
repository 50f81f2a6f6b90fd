import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import type { LedgerEvent } from '@tallyhand/contracts/features/credits/credits.events';
import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import {
  type EventLog,
  type NewEvent,
  RevisionConflict,
  type StoredEvent,
} from '@tallyhand/service-kit/event-store/event-log';
import { jsonLog } from '@tallyhand/service-kit/log';
import { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';
import { reportedRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../kit/context.ts';
import type { Snapshot, Snapshots } from '../../kit/stored-states.ts';
import { decodeEvent } from '../../kit/stream-policy.ts';
import { latestPosition, Streams } from '../../kit/streams.ts';
import { type LedgerRefusal, ledgerStream } from './ledger.decider.ts';
import { availableIn, type Ledger } from './ledger-state.ts';
import { histories, organizationId, type Step } from './testing/ledger-commands.ts';
import { outcomeText, PaperLedger } from './testing/paper-ledger.ts';

/** What befalls an append: its answer is lost before or after the work, or its writer dies too. */
type Fault = 'none' | 'lost-before' | 'lost-after' | 'writer-dies';

type Plan = Step & {
  /** Which of the writers is asked first. */
  readonly writer: number;
  /** What befalls its first try; the second goes to another writer. */
  readonly fault: Fault;
};

/** A command as its caller saw it. */
type Answered = {
  readonly commandId: string;
  readonly step: Step;
  readonly outcome: string;
  /** How many events there were before it was asked for, and when it was answered. */
  readonly before: number;
  readonly after: number;
};

type Ledgers = Streams<Ledger, LedgerCommand, LedgerEvent, LedgerRefusal>;

const WRITERS = 3;
const TRIES_MAX = 20;
const SNAPSHOT_EVERY = 5;

class AnswerLost extends Error {}

/** As the real one does: appends at the expected revision only, and knows what it has by its id. */
function storeInMemory(turn: () => Promise<unknown>) {
  const stored: StoredEvent[] = [];
  const kept = new Map<string, Snapshot>();
  const faults: Fault[] = [];

  async function append(stream: string, events: readonly NewEvent[], expected: bigint | null) {
    const befalls = faults.shift() ?? 'none';
    await turn();
    if (befalls === 'lost-before') throw new AnswerLost();
    const at = expected === null ? 0 : Number(expected) + 1;
    const isRepeat = events.every(({ id }, i) => stored[at + i]?.id === id);
    if (!isRepeat && at !== stored.length) throw new RevisionConflict(stream);
    if (!isRepeat) for (const event of events) stored.push(toStored(stream, event, stored.length));
    await turn();
    if (befalls !== 'none') throw new AnswerLost();
    const revision = BigInt(at + events.length - 1);
    return { revision, position: { commit: revision, prepare: revision } };
  }

  async function* read(_stream: string, from: bigint) {
    await turn();
    const seen = stored.slice(Number(from));
    for (const event of seen) yield event;
  }

  const snapshots: Snapshots = {
    load: async (stream) => {
      await turn();
      return kept.get(stream) ?? null;
    },
    save: async (stream, _version, { revision, head, state }) => {
      kept.set(stream, { revision, head, state: JSON.parse(JSON.stringify(state)) });
    },
  };
  return { stored, faults, append, read, snapshots };
}

/**
 * One ledger on a store in memory, with several concurrent writers. Every step of the store waits
 * for `turn`, so the caller that hands out turns decides the order.
 */
function ledgerSimulation(turn: () => Promise<unknown>) {
  const { stored, faults, append, read, snapshots } = storeInMemory(turn);

  function newWriter(): Ledgers {
    const { snapshot } = ledgerStream;
    const policy = snapshot
      ? { ...ledgerStream, snapshot: { ...snapshot, everyEvents: SNAPSHOT_EVERY } }
      : ledgerStream;
    return new Streams(policy, {
      eventLog: { append, read } as unknown as EventLog,
      snapshots,
      log: jsonLog('test', 'silent'),
      latest: latestPosition(),
      changes: new StreamChanges(),
      pause: turn,
    });
  }

  const writers = Array.from({ length: WRITERS }, newWriter);

  async function ask({ command, at, writer, fault: first }: Plan, n: number): Promise<Answered> {
    const context: CommandContext = {
      organizationId,
      actor: { kind: 'member', id: derivedId('member', '0') },
      commandId: derivedId('command', String(n)),
      correlationId: String(n),
      causationId: null,
      now: new Date(at),
    };
    const before = stored.length;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const which = (writer + tries) % WRITERS;
      if (tries === 0) faults.push(first);
      try {
        const answer = await (writers[which] ?? newWriter()).send(organizationId, command, context);
        const outcome = outcomeText(answer.kind === 'accepted' ? answer.events : answer);
        const { commandId } = context;
        return { commandId, step: { command, at }, outcome, before, after: stored.length };
      } catch (error) {
        if (!(error instanceof AnswerLost)) throw error;
        if (first === 'writer-dies') writers[which] = newWriter();
      }
    }
    throw new Error('A command found no answer');
  }

  return {
    stored: stored as readonly StoredEvent[],
    ask,
    /** What each writer takes for the present state, and one that has just begun. */
    states: () => Promise.all([...writers, newWriter()].map((w) => w.load(organizationId))),
    isChain: () =>
      stored.every((event, i) => isNextLink(stored[i - 1]?.envelope.link?.hash ?? '', event)),
  };
}

/** As it would be read: through JSON. */
function toStored(stream: string, event: NewEvent, at: number): StoredEvent {
  const revision = BigInt(at);
  const position = { commit: revision, prepare: revision };
  return { ...JSON.parse(JSON.stringify(event)), stream, revision, position };
}

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
