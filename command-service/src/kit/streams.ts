import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  type EventLog,
  type NewEvent,
  RevisionConflict,
} from '@tallyhand/service-kit/event-store/event-log';
import {
  comparePositions,
  maxPosition,
  type Position,
  START,
} from '@tallyhand/service-kit/event-store/position';
import type { Log } from '@tallyhand/service-kit/log';
import { histogram } from '@tallyhand/service-kit/metrics/histogram';
import type { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';
import { noteAppended } from '@tallyhand/service-kit/tracing/event-spans';
import type { TraceContext } from '@tallyhand/service-kit/tracing/trace-context';
import { currentTrace, tracedIn } from '@tallyhand/service-kit/tracing/tracing';
import { LRUCache } from 'lru-cache';
import type { CommandContext } from './context.ts';
import { decideAll, type Sent } from './decide-all.ts';
import { type Snapshots, type StoredState, StoredStates, unsavedEvents } from './stored-states.ts';
import { decodeEvent, type StreamPolicy } from './stream-policy.ts';

const CACHED_STREAMS_MAX = 5_000;
const BATCH_MAX = 256;
const CONFLICTS_MAX = 30;
const CONFLICT_PAUSE_MS_MAX = 64;
const REST_MS = 1_000;

export type Accepted<S, E> = {
  readonly kind: 'accepted';
  /** The events of this command; empty if there was nothing to do. */
  readonly events: readonly E[];
  /** The state after it, or a later one if the decider changes states in place. */
  readonly state: S;
  /** The stream had at least this position when the command was answered. */
  readonly position: Position;
};

export type StreamOptions = {
  readonly eventLog: EventLog;
  readonly snapshots: Snapshots;
  readonly log: Log;
  /** Advanced to the stream's position after each command and read, for read-your-writes. */
  readonly latest: { current(): Position; advance(position: Position): void };
  /** Shows which cached states are current without reading their streams. */
  readonly changes: Pick<StreamChanges, 'mark' | 'unchangedTo'>;
  /** Waits before a command is decided again after a conflict; for a random time by default. */
  readonly pause?: (conflicts: number) => Promise<unknown>;
};

/** The streams of one process. Each kind has one cache and one queue, so its users never compete. */
export class StreamStore {
  readonly options: StreamOptions;
  readonly #kinds = new Map<unknown, unknown>();

  constructor(options: StreamOptions) {
    this.options = options;
  }

  get eventLog(): EventLog {
    return this.options.eventLog;
  }

  of<S, C extends EventValue, E extends EventValue, R extends Refusal>(
    policy: StreamPolicy<S, C, E, R>,
  ): Streams<S, C, E, R> {
    const known = this.#kinds.get(policy) as Streams<S, C, E, R> | undefined;
    if (known) return known;
    const streams = new Streams(policy, this.options);
    this.#kinds.set(policy, streams);
    return streams;
  }
}

type Waiting<S, C, E, R> = Sent<C> & {
  /** The caller's trace: a batch may be appended on behalf of several callers. */
  readonly trace: TraceContext | null;
  readonly resolve: (answer: Accepted<S, E> | R) => void;
  readonly reject: (error: unknown) => void;
};

/** The streams of one kind: cached states, group commit, retries after conflicts. */
export class Streams<S, C extends EventValue, E extends EventValue, R extends Refusal = Refusal> {
  readonly #policy: StreamPolicy<S, C, E, R>;
  readonly #options: StreamOptions;
  readonly #states: StoredStates<S, C, E, R>;
  readonly #cache: LRUCache<string, StoredState<S>>;
  readonly #turns = new Turns();
  /** Commands that wait, by stream. */
  readonly #waiting = new Map<string, Waiting<S, C, E, R>[]>();
  /** Reads that have not started yet, by stream: all callers until then share them. */
  readonly #reads = new Map<string, Promise<StoredState<S>>>();

  constructor(policy: StreamPolicy<S, C, E, R>, options: StreamOptions) {
    this.#policy = policy;
    this.#options = options;
    this.#states = new StoredStates(policy, options);
    this.#cache = new LRUCache({ max: policy.cachedMax ?? CACHED_STREAMS_MAX });
  }

  /** Decides one command; commands that wait for the same stream share an append. */
  send(id: string, command: C, context: CommandContext): Promise<Accepted<S, E> | R> {
    return this.#observed(id, { command, context }, async () => {
      const [answer] = await this.#decide(id, [{ command, context }]);
      if (answer && isRefusal(answer) && (await this.#isDone(id, command, context))) {
        const { state, position } = await this.#read(id);
        return { kind: 'accepted', events: [], state, position };
      }
      return answer as Accepted<S, E> | R;
    });
  }

  /** Decides commands in order, and appends their events in one write. */
  sendAll(id: string, sent: readonly Sent<C>[]): Promise<(Accepted<S, E> | R)[]> {
    const answers = this.#decide(id, sent);
    return Promise.all(
      sent.map((one, at) =>
        this.#observed(id, one, async () => (await answers)[at] as Accepted<S, E> | R),
      ),
    );
  }

  /**
   * The current state: the end of the stream is read. With `since` a cached state is enough if it
   * includes everything that was stored up to that position.
   */
  async load(id: string, since?: Position): Promise<S> {
    const cached = since && this.#settled(id);
    if (cached && comparePositions(this.#knownTo(id, cached), since) >= 0) return cached.state;
    return (await this.#read(id)).state;
  }

  /**
   * The cached state, or the current one if none is cached. Another process may have changed it
   * since: good enough for checks that are repeated when a command is appended.
   */
  async known(id: string): Promise<S> {
    return (this.#settled(id) ?? (await this.#read(id))).state;
  }

  /** Each state that the stream has had, with the event that led to it, oldest first. */
  async *replay(id: string): AsyncGenerator<{ readonly state: S; readonly event: E }> {
    const { decider } = this.#policy;
    let state = decider.initialState();
    for await (const stored of this.#options.eventLog.read(this.#streamOf(id), 0n)) {
      const event = decodeEvent(this.#policy, stored);
      state = decider.evolve(state, event, stored.envelope.recordedAt);
      yield { state, event };
    }
  }

  #streamOf(id: string): string {
    return `${this.#policy.category}-${id}`;
  }

  /** Undefined while an append runs, because the cached state is ahead of the stored one. */
  #settled(id: string): StoredState<S> | undefined {
    return this.#turns.isBusy(id) ? undefined : this.#cache.get(this.#streamOf(id));
  }

  #knownTo(id: string, { known, mark }: StoredState<S>): Position {
    return maxPosition(known, this.#options.changes.unchangedTo(this.#streamOf(id), mark));
  }

  #read(id: string): Promise<StoredState<S>> {
    const shared = this.#reads.get(id);
    if (shared) return shared;
    const mustWait = this.#turns.isBusy(id);
    const read = this.#turns.take(id, () => {
      this.#reads.delete(id);
      return this.#readNow(id);
    });
    if (mustWait) this.#reads.set(id, read);
    return read;
  }

  async #readNow(id: string): Promise<StoredState<S>> {
    const stream = this.#streamOf(id);
    const cached = this.#cache.get(stream);
    try {
      if (cached && !this.#policy.isFinal?.(cached.state)) {
        await this.#states.catchUp(stream, cached);
      }
      const entry = cached ?? (await this.#states.read(stream));
      this.#keep(id, entry);
      return entry;
    } catch (error) {
      this.#cache.delete(stream);
      throw error;
    }
  }

  #keep(id: string, entry: StoredState<S>): void {
    this.#cache.set(this.#streamOf(id), entry);
    this.#watch(id, entry);
    // Also without an append: a repeated command returns the position of the earlier one.
    this.#options.latest.advance(entry.position);
  }

  #decide(id: string, sent: readonly Sent<C>[]): Promise<(Accepted<S, E> | R)[]> {
    const added: Waiting<S, C, E, R>[] = [];
    const trace = currentTrace();
    const answers = sent.map(
      (one) =>
        new Promise<Accepted<S, E> | R>((resolve, reject) => {
          added.push({ ...one, trace, resolve, reject });
        }),
    );
    const queue = this.#waiting.get(id);
    if (queue) queue.push(...added);
    else void this.#drain(id, added);
    return Promise.all(answers);
  }

  async #drain(id: string, queue: Waiting<S, C, E, R>[]): Promise<void> {
    this.#waiting.set(id, queue);
    while (queue.length > 0) {
      await this.#turns.take(id, async () => {
        const batch = queue.splice(0, BATCH_MAX);
        try {
          const decided = await this.#decideBatch(id, batch);
          queue.unshift(...batch.slice(decided));
        } catch (error) {
          this.#cache.delete(this.#streamOf(id));
          for (const { reject } of batch) reject(error);
        }
      });
    }
    this.#waiting.delete(id);
  }

  /** Returns how many commands, from the first on, were answered: as many as fit in one append. */
  async #decideBatch(id: string, batch: readonly Waiting<S, C, E, R>[]): Promise<number> {
    const stream = this.#streamOf(id);
    for (let conflicts = 0; ; conflicts += 1) {
      const cached = this.#cache.get(stream);
      // If the stream has events after all, the append conflicts, and they are read then.
      const isNew = !cached && conflicts === 0 && this.#begins(batch[0]);
      const entry = cached ?? (isNew ? this.#states.empty() : await this.#states.read(stream));
      let outcome = decideAll(this.#policy, stream, entry, batch);
      // Without an append to prove it current, a cached state must be checked against the store.
      const isRead = !cached && !isNew;
      const isCurrent = outcome.events.length > 0 || isRead || this.#policy.isFinal?.(entry.state);
      if (!isCurrent && (await this.#states.catchUp(stream, entry))) {
        outcome = decideAll(this.#policy, stream, entry, batch);
      }
      try {
        await this.#append(stream, entry, outcome.events, batch);
      } catch (error) {
        this.#cache.delete(stream);
        if (!(error instanceof RevisionConflict) || conflicts >= CONFLICTS_MAX) throw error;
        await (this.#options.pause ?? pauseAfterConflict)(conflicts);
        continue;
      }
      this.#keep(id, entry);
      const { state, position } = entry;
      for (const [at, answer] of outcome.answers.entries()) {
        batch[at]?.resolve(
          isRefusal(answer) ? answer : { kind: 'accepted', events: answer, state, position },
        );
      }
      return outcome.answers.length;
    }
  }

  async #append(
    stream: string,
    entry: StoredState<S>,
    events: readonly NewEvent[],
    batch: readonly Waiting<S, C, E, R>[],
  ): Promise<void> {
    if (events.length === 0) return;
    const startedAt = Date.now();
    const { revision, position } = await this.#options.eventLog.append(
      stream,
      events,
      entry.revision,
    );
    noteAppended(stream, events, startedAt, (commandId) => {
      const cause = batch.find(({ context }) => context.commandId === commandId);
      return cause?.trace ?? null;
    });
    entry.revision = revision;
    entry.position = position;
    entry.known = maxPosition(entry.known, position);
    this.#states.save(stream, entry, this.#policy.snapshot?.everyEvents);
  }

  /** Saves an idle stream early, so that the next process has little to read. */
  #watch(id: string, entry: StoredState<S>): void {
    const atRest = this.#policy.snapshot?.atRestEvents ?? Number.POSITIVE_INFINITY;
    if (entry.isWatched || unsavedEvents(entry) < atRest) return;
    entry.isWatched = true;
    const seen = entry.revision;
    const look = () => {
      entry.isWatched = false;
      const stream = this.#streamOf(id);
      if (this.#cache.peek(stream) !== entry) return;
      // During an append the state is ahead of the revision.
      if (this.#turns.isBusy(id) || entry.revision !== seen) this.#watch(id, entry);
      else this.#states.save(stream, entry, atRest);
    };
    setTimeout(look, REST_MS).unref();
  }

  #begins(first: Sent<C> | undefined): boolean {
    return first?.context.isFirst === true && first.command.type === this.#policy.begunBy;
  }

  /** Whether this command, resumed after its process died, was carried out before. */
  async #isDone(id: string, { type }: C, { commandId, isTakenUp }: CommandContext) {
    if (!isTakenUp || !this.#policy.refusedOnceDone?.includes(type)) return false;
    const stored = await Array.fromAsync(this.#options.eventLog.read(this.#streamOf(id), 0n));
    return stored.some(({ envelope }) => envelope.commandId === commandId);
  }

  /** Measures a command and makes it part of its trace. */
  #observed(
    id: string,
    { command, context: { organizationId, correlationId } }: Sent<C>,
    decide: () => Promise<Accepted<S, E> | R>,
  ): Promise<Accepted<S, E> | R> {
    const attributes = {
      'tallyhand.stream': this.#streamOf(id),
      ...(organizationId === null ? {} : { 'tallyhand.organization': organizationId }),
    };
    const name = this.#policy.nameOf?.(command) ?? command.type;
    return measured(name, () =>
      tracedIn(correlationId, name, { attributes }, async (span) => {
        const answer = await decide();
        if (isRefusal(answer)) span?.set({ 'tallyhand.refusal': answer.code });
        return answer;
      }),
    );
  }
}

/** Serializes the work on each stream. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  isBusy(id: string): boolean {
    return this.#last.has(id);
  }

  async take<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const turn = before ? before.then(work) : work();
    const end = turn.catch(() => undefined);
    this.#last.set(id, end);
    try {
      return await turn;
    } finally {
      if (this.#last.get(id) === end) this.#last.delete(id);
    }
  }
}

const durations = histogram({
  name: 'tallyhand_command_duration_seconds',
  help: 'How long commands took to be decided and stored, by type and outcome.',
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
});

async function measured<Answer>(command: string, send: () => Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  const note = (outcome: 'accepted' | 'refused' | 'failed') =>
    durations.observe({ command, outcome }, (performance.now() - started) / 1_000);
  try {
    const answer = await send();
    note(isRefusal(answer) ? 'refused' : 'accepted');
    return answer;
  } catch (error) {
    note('failed');
    throw error;
  }
}

/** Random, and longer after each conflict, so that writers don't collide repeatedly. */
const pauseAfterConflict = (conflicts: number) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.random() * Math.min(2 ** conflicts, CONFLICT_PAUSE_MS_MAX)),
  );

/** The newest position that this process has written: a caller's next read must have reached it. */
export function latestPosition() {
  let latest = START;
  return {
    current: () => latest,
    advance(position: Position) {
      latest = maxPosition(latest, position);
    },
  };
}
