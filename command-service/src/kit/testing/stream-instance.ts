import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { type Position, START } from '@tallyhand/service-kit/event-store/position';
import type { CommandContext } from '../context.ts';
import { postgresSnapshots } from '../stored-states.ts';
import { Streams } from '../streams.ts';
import { type TestKit, testContext } from './backends.ts';
import { type CounterCommand, counterStream } from './counter.decider.ts';

type Options = {
  readonly snapshotVersion?: number | undefined;
  readonly atRestEvents?: number | undefined;
  /** No event follows a counter with this total. */
  readonly finalTotal?: number | undefined;
};

/**
 * One instance of the command side, with its own connection and cache, and the reads that it made.
 */
export function streamInstance(
  kit: TestKit,
  { snapshotVersion = 1, atRestEvents, finalTotal = Number.NaN }: Options,
) {
  const log = openEventLog(kit.config.eventStoreUrl);
  const appends: number[] = [];
  const readsFrom: bigint[] = [];
  const positions: Position[] = [];
  /** What the projector has announced of the streams. */
  const known = { mark: 0, unchangedTo: (_mark: number): Position => START };
  const eventLog: EventLog = {
    ...log,
    append: (stream, events, expected) => {
      appends.push(events.length);
      return log.append(stream, events, expected);
    },
    read: (stream, from) => {
      readsFrom.push(from);
      return log.read(stream, from);
    },
  };
  const { snapshot } = counterStream;
  const isFinal = ({ total }: { total: number }) => total === finalTotal;
  const counters = new Streams(
    snapshot
      ? {
          ...counterStream,
          isFinal,
          begunBy: 'Add',
          snapshot: { ...snapshot, version: snapshotVersion, atRestEvents },
        }
      : counterStream,
    {
      eventLog,
      snapshots: postgresSnapshots(kit.opened.kit.pool),
      log: kit.config.log,
      latest: {
        current: () => positions.at(-1) ?? START,
        advance: (position) => positions.push(position),
      },
      changes: { mark: () => known.mark, unchangedTo: (_, mark) => known.unchangedTo(mark) },
    },
  );
  return {
    appends,
    readsFrom,
    positions,
    known,
    eventLog,
    load: (id: string, since?: Position) => counters.load(id, since),
    send: (id: string, command: CounterCommand, context: CommandContext = testContext()) =>
      counters.send(id, command, context),
    sendAll: (id: string, commands: readonly CounterCommand[]) =>
      counters.sendAll(
        id,
        commands.map((command) => ({ command, context: testContext() })),
      ),
    [Symbol.asyncDispose]: () => log.close(),
  };
}

export const add = (step: string, amount = 1, note?: string): CounterCommand => ({
  type: 'Add',
  data: { step, amount, ...(note ? { note } : {}) },
});
