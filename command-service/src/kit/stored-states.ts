import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { EventLog, StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { maxPosition, type Position, START } from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { Decidable } from './decide-all.ts';
import { type Decider, kindOf } from './decider.ts';
import type { Snapshots } from './snapshots.ts';

/** What a stream's events up to `revision` come to; null where it has none. */
export type StoredState<S> = Decidable<S> & {
  revision: bigint | null;
  position: Position;
  /** Whatever the store held up to here, in any stream, is known of this one. */
  known: Position;
  /** The revision of the newest snapshot, -1 where there is none. */
  snapshotAt: bigint;
  /** Somebody looks in a moment whether the stream rests. */
  isWatched: boolean;
};

type Options = {
  readonly eventLog: EventLog;
  readonly snapshots: Snapshots;
  readonly log: Log;
  /** The newest position that this process knows of. */
  readonly latest: { current(): Position };
};

/** How many events came after the newest snapshot. */
export const unsavedEvents = ({ revision, snapshotAt }: StoredState<unknown>) =>
  Number((revision ?? -1n) - snapshotAt);

/** Reads the states of one kind of stream, from snapshots where there are some, and saves them. */
export function storedStates<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  options: Options,
) {
  const { snapshot } = decider;

  async function readOn(stream: string, entry: StoredState<S>): Promise<void> {
    const from = entry.revision === null ? 0n : entry.revision + 1n;
    const before = options.latest.current();
    for await (const stored of options.eventLog.read(stream, from)) {
      const event = decodeEvent(decider, stored);
      entry.state = decider.evolve(entry.state, event, stored.envelope.recordedAt);
      entry.head = stored.envelope.link?.hash ?? entry.head;
      entry.revision = stored.revision;
      entry.position = stored.position;
    }
    entry.known = maxPosition(entry.known, before);
  }

  const unwritten = (): StoredState<S> => ({
    state: decider.initialState(),
    head: '',
    revision: null,
    snapshotAt: -1n,
    position: START,
    known: START,
    isWatched: false,
  });

  async function fromSnapshot(stream: string): Promise<StoredState<S>> {
    const saved = snapshot && (await options.snapshots.load(stream, snapshot.version));
    if (!snapshot || !saved) return unwritten();
    const { revision, head } = saved;
    const state = snapshot.load(saved.state);
    return { ...unwritten(), state, head, revision, snapshotAt: revision };
  }

  return {
    /** Of a stream that has no events. */
    unwritten,

    async read(stream: string): Promise<StoredState<S>> {
      const entry = await fromSnapshot(stream);
      await readOn(stream, entry);
      return entry;
    },

    /** Reads on from the known revision; true when there was something new. */
    async catchUp(stream: string, entry: StoredState<S>): Promise<boolean> {
      const before = entry.revision;
      await readOn(stream, entry);
      return entry.revision !== before;
    },

    /** Takes a snapshot when at least so many events came after the newest; nobody waits for it. */
    save(stream: string, entry: StoredState<S>, afterEvents: number | undefined) {
      const { revision, head } = entry;
      if (!snapshot || revision === null || afterEvents === undefined) return;
      if (unsavedEvents(entry) < afterEvents) return;
      entry.snapshotAt = revision;
      options.snapshots
        .save(stream, snapshot.version, { revision, head, state: snapshot.save(entry.state) })
        .catch((error) =>
          options.log.warn('snapshot not saved', { stream, ...errorFields(error) }),
        );
    },
  };
}

/** An event that its own stream's decider does not know stops it: a newer writer was here. */
export function decodeEvent<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  { type, data, envelope }: StoredEvent,
): E {
  return { type, data: kindOf(decider, type).read(data, envelope.schemaVersion) } as E;
}
