import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import { maxPosition, type Position, START } from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';
import type pg from 'pg';
import type { Decidable } from './decide-all.ts';
import { decodeEvent, type StreamPolicy } from './stream-policy.ts';

/** The state of a stream at `revision`, which is null before its first event. */
export type StoredState<S> = Decidable<S> & {
  revision: bigint | null;
  position: Position;
  /** The state includes every event of the stream that was stored up to here. */
  known: Position;
  /** Of the changes of streams, when it was read. */
  mark: number;
  /** The revision of the newest snapshot, -1 without one. */
  snapshotAt: bigint;
  /** A timer that takes a snapshot if the stream is idle. */
  isWatched: boolean;
};

type Options = {
  readonly eventLog: EventLog;
  readonly snapshots: Snapshots;
  readonly log: Log;
  /** The newest position that this process knows of. */
  readonly latest: { current(): Position };
  readonly changes: Pick<StreamChanges, 'mark'>;
};

/** How many events came after the newest snapshot. */
export const unsavedEvents = ({ revision, snapshotAt }: StoredState<unknown>) =>
  Number((revision ?? -1n) - snapshotAt);

/** Reads the states of one kind of stream, from snapshots if possible, and saves snapshots. */
export class StoredStates<S, C extends EventValue, E extends EventValue, R extends Refusal> {
  readonly #policy: StreamPolicy<S, C, E, R>;
  readonly #options: Options;

  constructor(policy: StreamPolicy<S, C, E, R>, options: Options) {
    this.#policy = policy;
    this.#options = options;
  }

  /** The state of a stream without events. */
  empty(): StoredState<S> {
    return {
      state: this.#policy.decider.initialState(),
      head: '',
      revision: null,
      snapshotAt: -1n,
      position: START,
      known: START,
      mark: this.#options.changes.mark(),
      isWatched: false,
    };
  }

  async read(stream: string): Promise<StoredState<S>> {
    const entry = await this.#fromSnapshot(stream);
    await this.#readOn(stream, entry);
    return entry;
  }

  /** Reads on from the known revision; true when there was something new. */
  async catchUp(stream: string, entry: StoredState<S>): Promise<boolean> {
    const before = entry.revision;
    await this.#readOn(stream, entry);
    return entry.revision !== before;
  }

  /** Takes a snapshot in the background when it is due after `afterEvents` events. */
  save(stream: string, entry: StoredState<S>, afterEvents: number | undefined): void {
    const { snapshot } = this.#policy;
    const { revision, head } = entry;
    if (!snapshot || revision === null || afterEvents === undefined) return;
    if (unsavedEvents(entry) < afterEvents) return;
    entry.snapshotAt = revision;
    this.#options.snapshots
      .save(stream, snapshot.version, { revision, head, state: snapshot.save(entry.state) })
      .catch((error) =>
        this.#options.log.warn('snapshot not saved', { stream, ...errorFields(error) }),
      );
  }

  async #fromSnapshot(stream: string): Promise<StoredState<S>> {
    const { snapshot } = this.#policy;
    const saved = snapshot && (await this.#options.snapshots.load(stream, snapshot.version));
    if (!snapshot || !saved) return this.empty();
    const { revision, head } = saved;
    const state = snapshot.load(saved.state);
    return { ...this.empty(), state, head, revision, snapshotAt: revision };
  }

  async #readOn(stream: string, entry: StoredState<S>): Promise<void> {
    const from = entry.revision === null ? 0n : entry.revision + 1n;
    const before = this.#options.latest.current();
    entry.mark = this.#options.changes.mark();
    for await (const stored of this.#options.eventLog.read(stream, from)) {
      const event = decodeEvent(this.#policy, stored);
      entry.state = this.#policy.decider.evolve(entry.state, event, stored.envelope.recordedAt);
      entry.head = stored.envelope.link?.hash ?? entry.head;
      entry.revision = stored.revision;
      entry.position = stored.position;
    }
    entry.known = maxPosition(entry.known, before);
  }
}

export type Snapshot = {
  readonly revision: bigint;
  /** The hash of the event at `revision` if the stream is a chain, otherwise ''. */
  readonly head: string;
  readonly state: unknown;
};

/** States of long streams, so that a cold start stays short. Disposable. */
export type Snapshots = {
  load(stream: string, version: number): Promise<Snapshot | null>;
  save(stream: string, version: number, snapshot: Snapshot): Promise<void>;
};

export function postgresSnapshots(pool: pg.Pool): Snapshots {
  return {
    async load(stream, version) {
      const { rows } = await pool.query<{ revision: string; head: string; state: unknown }>(
        'select revision, head, state from operational.snapshots where stream = $1 and version = $2',
        [stream, version],
      );
      return rows[0] ? { ...rows[0], revision: BigInt(rows[0].revision) } : null;
    },
    async save(stream, version, { revision, head, state }) {
      await pool.query(
        `insert into operational.snapshots (stream, version, revision, head, state)
         values ($1, $2, $3, $4, $5)
         on conflict (stream) do update set version = excluded.version,
           revision = excluded.revision, head = excluded.head, state = excluded.state, taken_at = now()
         where snapshots.revision < excluded.revision or snapshots.version <> excluded.version`,
        [stream, version, revision, head, JSON.stringify(state)],
      );
    },
  };
}
