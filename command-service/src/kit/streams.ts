import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  type EventLog,
  type NewEvent,
  RevisionConflict,
  type StoredEvent,
} from '@tallyhand/service-kit/event-store/event-log';
import { maxPosition, type Position, START } from '@tallyhand/service-kit/event-store/position';
import { errorFields, type Log } from '@tallyhand/service-kit/log';
import type { CommandContext } from './context.ts';
import { type Asked, type Decidable, decideAll } from './decide-all.ts';
import type { Decider } from './decider.ts';
import type { Snapshots } from './snapshots.ts';

const CACHED_STREAMS_MAX = 5_000;
const BATCH_MAX = 256;
const CONFLICTS_MAX = 30;
const CONFLICT_PAUSE_MS_MAX = 64;

export type Accepted<S, E> = {
  readonly kind: 'accepted';
  /** What this command caused; empty when there was nothing to do. */
  readonly events: readonly E[];
  /** The state after it, or a later one where the decider's fold changes its state in place. */
  readonly state: S;
  /** Where the stream stood at least when the command was answered. */
  readonly position: Position;
};

export type Streams<S, C, E> = {
  /** Decides one command on a stream; commands that wait for one stream share an append. */
  send(id: string, command: C, context: CommandContext): Promise<Accepted<S, E> | Refusal>;
  /** The present state: the stream's tail is read. */
  load(id: string): Promise<S>;
};

export type StreamsOptions = {
  readonly eventLog: EventLog;
  readonly snapshots: Snapshots;
  readonly log: Log;
  /** Hears where a stream stands after each command, for read-your-writes. */
  readonly onDecided: (position: Position) => void;
  /** Waits before a race is tried again that was lost so often; a random time without it. */
  readonly pause?: (conflicts: number) => Promise<unknown>;
};

type Cached<S> = Decidable<S> & {
  revision: bigint | null;
  position: Position;
  snapshotAt: bigint;
};

type Waiting<S, C, E> = {
  readonly asked: Asked<C>;
  readonly resolve: (answer: Accepted<S, E> | Refusal) => void;
  readonly reject: (error: unknown) => void;
};

const known = new WeakMap<StreamsOptions, Map<unknown, unknown>>();

/** The streams of a kind: the same for all who ask in a process, so that they never compete. */
export function streamsOf<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  options: StreamsOptions,
): Streams<S, C, E> {
  const byDecider = known.get(options) ?? new Map<unknown, unknown>();
  known.set(options, byDecider);
  const made = (byDecider.get(decider) as Streams<S, C, E> | undefined) ?? make(decider, options);
  byDecider.set(decider, made);
  return made;
}

/** The command side of one kind of stream: cached state, group commit, tail check, retries. */
function make<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  options: StreamsOptions,
): Streams<S, C, E> {
  const cache = new Map<string, Cached<S>>();
  const queues = new Map<string, Waiting<S, C, E>[]>();

  function enqueue(id: string, waiting: Waiting<S, C, E>) {
    const queue = queues.get(id);
    if (queue) {
      queue.push(waiting);
      return;
    }
    const fresh = [waiting];
    queues.set(id, fresh);
    void drain(id, fresh);
  }

  async function drain(id: string, queue: Waiting<S, C, E>[]) {
    const stream = `${decider.category}-${id}`;
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      try {
        const decided = await decideBatch(stream, batch);
        queue.unshift(...batch.slice(decided));
      } catch (error) {
        cache.delete(stream);
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(id);
  }

  /** How many of them, from the first on, were decided and answered: as many as one append holds. */
  async function decideBatch(stream: string, batch: readonly Waiting<S, C, E>[]): Promise<number> {
    for (let conflicts = 0; ; conflicts += 1) {
      const cached = cache.get(stream);
      const entry = cached ?? (await readTail(stream, null));
      const asked = batch.map((waiting) => waiting.asked);
      let outcome = decideAll(decider, stream, entry, asked);
      // What was decided on cached state without an append is final only when nobody else wrote.
      if (outcome.events.length === 0 && cached && (await catchUp(stream, entry))) {
        outcome = decideAll(decider, stream, entry, asked);
      }
      try {
        await append(stream, entry, outcome.events);
      } catch (error) {
        cache.delete(stream);
        if (!(error instanceof RevisionConflict) || conflicts >= CONFLICTS_MAX) throw error;
        await (options.pause ?? pauseAfterConflict)(conflicts);
        continue;
      }
      remember(stream, entry);
      // Also where nothing was appended: a repeat answers with what stood there already.
      options.onDecided(entry.position);
      for (const [i, { resolve }] of batch.entries()) {
        const answer = outcome.answers[i];
        if (!answer) continue;
        if (isRefusal(answer)) resolve(answer);
        else {
          const { state, position } = entry;
          resolve({ kind: 'accepted', events: answer, state, position });
        }
      }
      return outcome.answers.length;
    }
  }

  async function append(stream: string, entry: Cached<S>, events: readonly NewEvent[]) {
    if (events.length === 0) return;
    const before = entry.revision;
    const { revision, position } = await options.eventLog.append(stream, events, before);
    entry.revision = revision;
    entry.position = position;
    takeSnapshot(stream, entry);
  }

  function remember(stream: string, entry: Cached<S>) {
    cache.delete(stream);
    cache.set(stream, entry);
    if (cache.size > (decider.cachedMax ?? CACHED_STREAMS_MAX))
      cache.delete(cache.keys().next().value ?? '');
  }

  /** Reads on from the cached revision; true when there was something new. */
  async function catchUp(stream: string, entry: Cached<S>): Promise<boolean> {
    const before = entry.revision;
    await readTail(stream, entry);
    return entry.revision !== before;
  }

  async function readTail(stream: string, known: Cached<S> | null): Promise<Cached<S>> {
    const entry = known ?? (await fromSnapshot(stream));
    const from = entry.revision === null ? 0n : entry.revision + 1n;
    for await (const stored of options.eventLog.read(stream, from)) {
      entry.state = decider.evolve(
        entry.state,
        decodeEvent(decider, stored),
        stored.envelope.recordedAt,
      );
      entry.head = stored.envelope.link?.hash ?? entry.head;
      entry.revision = stored.revision;
      entry.position = stored.position;
    }
    return entry;
  }

  async function fromSnapshot(stream: string): Promise<Cached<S>> {
    const { snapshot } = decider;
    const saved = snapshot && (await options.snapshots.load(stream, snapshot.version));
    if (!snapshot || !saved) {
      const state = decider.initialState();
      return { state, head: '', revision: null, position: START, snapshotAt: -1n };
    }
    const { revision, head } = saved;
    const state = snapshot.load(saved.state);
    return { state, head, revision, position: START, snapshotAt: revision };
  }

  function takeSnapshot(stream: string, entry: Cached<S>) {
    const { snapshot } = decider;
    const { revision } = entry;
    if (!snapshot || revision === null) return;
    if (revision - entry.snapshotAt < BigInt(snapshot.everyEvents)) return;
    entry.snapshotAt = revision;
    const saved = { revision, head: entry.head, state: snapshot.save(entry.state) };
    options.snapshots
      .save(stream, snapshot.version, saved)
      .catch((error) => options.log.warn('snapshot not saved', { stream, ...errorFields(error) }));
  }

  const ask = (id: string, asked: Asked<C>) =>
    new Promise<Accepted<S, E> | Refusal>((resolve, reject) =>
      enqueue(id, { asked, resolve, reject }),
    );

  return {
    send: (id, command, context) => ask(id, { command, context }),
    async load(id) {
      const answer = await ask(id, null);
      if (isRefusal(answer)) throw new Error(`Reading ${decider.category}-${id} was refused`);
      return answer.state;
    },
  };
}

/** Who loses a race again and again waits for longer, and never in step with the other. */
const pauseAfterConflict = (conflicts: number) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.random() * Math.min(2 ** conflicts, CONFLICT_PAUSE_MS_MAX)),
  );

/** An event that its own stream's decider does not know stops it: a newer writer was here. */
export function decodeEvent<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  { stream, type, data }: StoredEvent,
): E {
  const kind = (
    decider.kinds as Readonly<Record<string, { schema: { parse(d: unknown): unknown } }>>
  )[type];
  if (!kind) throw new Error(`Stream ${stream} holds an event of unknown type ${type}`);
  return { type, data: kind.schema.parse(data) } as E;
}

/** The newest position that this process has written: what a caller's next read must have passed. */
export function latestPosition() {
  let latest = START;
  return {
    current: () => latest,
    advance(position: Position) {
      latest = maxPosition(latest, position);
    },
  };
}
