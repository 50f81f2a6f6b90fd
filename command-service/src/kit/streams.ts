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
import { noteAppended } from '@tallyhand/service-kit/tracing/event-spans';
import type { TraceContext } from '@tallyhand/service-kit/tracing/trace-context';
import { currentTrace, tracedIn } from '@tallyhand/service-kit/tracing/tracing';
import { LRUCache } from 'lru-cache';
import { batchQueues } from './batch-queues.ts';
import { measuredCommand } from './command-durations.ts';
import type { CommandContext } from './context.ts';
import { type Asked, decideAll } from './decide-all.ts';
import type { Decider } from './decider.ts';
import type { Snapshots } from './snapshots.ts';
import { type StoredState, storedStates, unsavedEvents } from './stored-states.ts';

const CACHED_STREAMS_MAX = 5_000;
const CONFLICTS_MAX = 30;
const CONFLICT_PAUSE_MS_MAX = 64;
const REST_MS = 1_000;

export type Accepted<S, E> = {
  readonly kind: 'accepted';
  /** What this command caused; empty when there was nothing to do. */
  readonly events: readonly E[];
  /** The state after it, or a later one where the decider's fold changes its state in place. */
  readonly state: S;
  /** Where the stream stood at least when the command was answered. */
  readonly position: Position;
};

export type Sent<C> = { readonly command: C; readonly context: CommandContext };

export type Streams<S, C, E> = {
  /** Decides one command on a stream; commands that wait for one stream share an append. */
  send(id: string, command: C, context: CommandContext): Promise<Accepted<S, E> | Refusal>;
  /** Decides one command after the other, and appends all that they cause in one write. */
  sendAll(id: string, sent: readonly Sent<C>[]): Promise<readonly (Accepted<S, E> | Refusal)[]>;
  /**
   * The present state: the stream's tail is read. With `since` whatever this process knows is good
   * enough in which nothing is missing that stood in the store up to that position.
   */
  load(id: string, since?: Position): Promise<S>;
  /**
   * The state as this process knows it, and the present one where it knows nothing. Others may have
   * gone on meanwhile: good enough for what a command of one's own checks when it is appended.
   */
  known(id: string): Promise<S>;
};

export type StreamsOptions = {
  readonly eventLog: EventLog;
  readonly snapshots: Snapshots;
  readonly log: Log;
  /** Hears where a stream stands after each command, for read-your-writes. */
  readonly latest: { current(): Position; advance(position: Position): void };
  /** Waits before a race is tried again that was lost so often; a random time without it. */
  readonly pause?: (conflicts: number) => Promise<unknown>;
};

type Waiting<S, C, E> = {
  readonly asked: Asked<C>;
  /** Where whoever asks stands; another may be the one who carries it out. */
  readonly trace: TraceContext | null;
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
  const made =
    (byDecider.get(decider) as Streams<S, C, E> | undefined) ??
    observed(decider.category, make(decider, options));
  byDecider.set(decider, made);
  return made;
}

/** The same streams, where each command is measured, and a part of its trace. */
function observed<S, C extends EventValue, E>(
  category: string,
  streams: Streams<S, C, E>,
): Streams<S, C, E> {
  type Decided = Promise<Accepted<S, E> | Refusal>;
  function observe(id: string, { command, context }: Sent<C>, decide: () => Decided): Decided {
    const { organizationId, correlationId } = context;
    const attributes = {
      'tallyhand.stream': `${category}-${id}`,
      ...(organizationId === null ? {} : { 'tallyhand.organization': organizationId }),
    };
    return measuredCommand(command.type, () =>
      tracedIn(correlationId, command.type, { attributes }, async (span) => {
        const answer = await decide();
        if (isRefusal(answer)) span?.set({ 'tallyhand.refusal': answer.code });
        return answer;
      }),
    );
  }
  return {
    ...streams,
    send: (id, command, context) =>
      observe(id, { command, context }, () => streams.send(id, command, context)),
    sendAll(id, sent) {
      const answers = streams.sendAll(id, sent);
      const answerTo = async (at: number) => (await answers)[at] as Awaited<Decided>;
      return Promise.all(sent.map((one, at) => observe(id, one, () => answerTo(at))));
    },
  };
}

/** The command side of one kind of stream: cached state, group commit, tail check, retries. */
function make<S, C extends EventValue, E extends EventValue>(
  decider: Decider<S, C, E>,
  options: StreamsOptions,
): Streams<S, C, E> {
  const states = storedStates(decider, options);
  const cache = new LRUCache<string, StoredState<S>>({
    max: decider.cachedMax ?? CACHED_STREAMS_MAX,
  });
  const queues = batchQueues<Waiting<S, C, E>>((id, batch) => decideOrForget(id, batch));

  const streamOf = (id: string) => `${decider.category}-${id}`;

  /** How many of them, from the first on, were decided and answered: as many as one append holds. */
  async function decideBatch(id: string, batch: readonly Waiting<S, C, E>[]): Promise<number> {
    const stream = streamOf(id);
    for (let conflicts = 0; ; conflicts += 1) {
      const cached = cache.get(stream);
      // Should there be something all the same, the append fails, and it is read then.
      const isNew = !cached && conflicts === 0 && begins(decider, batch[0]?.asked);
      const entry = cached ?? (isNew ? states.unwritten() : await states.read(stream));
      const asked = batch.map((waiting) => waiting.asked);
      let outcome = decideAll(decider, stream, entry, asked);
      // What was decided on such a state without an append is final only when nobody else wrote.
      const isRead = !cached && !isNew;
      const isTold = outcome.events.length > 0 || isRead || decider.isFinal?.(entry.state);
      if (!isTold && (await states.catchUp(stream, entry))) {
        outcome = decideAll(decider, stream, entry, asked);
      }
      try {
        await append(stream, entry, outcome.events, batch);
      } catch (error) {
        cache.delete(stream);
        if (!(error instanceof RevisionConflict) || conflicts >= CONFLICTS_MAX) throw error;
        await (options.pause ?? pauseAfterConflict)(conflicts);
        continue;
      }
      cache.set(stream, entry);
      watch(id, entry);
      // Also where nothing was appended: a repeat answers with what stood there already.
      options.latest.advance(entry.position);
      answerAll(batch, outcome.answers, entry);
      return outcome.answers.length;
    }
  }

  /** After a fault nothing is known of the stream. */
  function decideOrForget(id: string, batch: readonly Waiting<S, C, E>[]) {
    return decideBatch(id, batch).catch((error) => {
      cache.delete(streamOf(id));
      throw error;
    });
  }

  async function append(
    stream: string,
    entry: StoredState<S>,
    events: readonly NewEvent[],
    batch: readonly Waiting<S, C, E>[],
  ) {
    if (events.length === 0) return;
    const before = entry.revision;
    const startedAt = Date.now();
    const { revision, position } = await options.eventLog.append(stream, events, before);
    noteAppended(stream, events, startedAt, (commandId) => traceOf(batch, commandId));
    entry.revision = revision;
    entry.position = position;
    entry.known = maxPosition(entry.known, position);
    states.save(stream, entry, decider.snapshot?.everyEvents);
  }

  /** A stream at rest is saved early, so that the next process has little to read. */
  function watch(id: string, entry: StoredState<S>) {
    const atRest = decider.snapshot?.atRestEvents ?? Number.POSITIVE_INFINITY;
    if (entry.isWatched || unsavedEvents(entry) < atRest) return;
    entry.isWatched = true;
    const seen = entry.revision;
    const look = () => {
      entry.isWatched = false;
      const stream = streamOf(id);
      if (cache.peek(stream) !== entry) return;
      // While an append is under way the state is ahead of the revision.
      if (queues.isBusy(id) || entry.revision !== seen) watch(id, entry);
      else states.save(stream, entry, atRest);
    };
    setTimeout(look, REST_MS).unref();
  }

  function askAll(id: string, all: readonly Asked<C>[]) {
    const waiting: Waiting<S, C, E>[] = [];
    const answers = all.map(
      (asked) =>
        new Promise<Accepted<S, E> | Refusal>((resolve, reject) => {
          waiting.push({ asked, trace: currentTrace(), resolve, reject });
        }),
    );
    queues.push(id, ...waiting);
    return Promise.all(answers);
  }

  async function ask(id: string, asked: Asked<C>): Promise<Accepted<S, E> | Refusal> {
    const [answer] = await askAll(id, [asked]);
    return answer as Accepted<S, E> | Refusal;
  }

  /** None while commands are under way: what is cached is ahead of what is stored then. */
  const settled = (id: string) => (queues.isBusy(id) ? undefined : cache.get(streamOf(id)));

  async function load(id: string, since?: Position): Promise<S> {
    const cached = since && settled(id);
    if (cached && comparePositions(cached.known, since) >= 0) return cached.state;
    const answer = await ask(id, null);
    if (isRefusal(answer)) throw new Error(`Reading ${decider.category}-${id} was refused`);
    return answer.state;
  }

  /** Whether the stream has what this very command, begun by whoever has died, was to cause. */
  async function isDone(id: string, { type }: C, { commandId, isTakenUp }: CommandContext) {
    if (!isTakenUp || !decider.refusedOnceDone?.includes(type)) return false;
    const stored = await Array.fromAsync(options.eventLog.read(streamOf(id), 0n));
    return stored.some(({ envelope }) => envelope.commandId === commandId);
  }

  return {
    load,
    sendAll: askAll,
    async send(id, command, context) {
      const answer = await ask(id, { command, context });
      const isKnown = isRefusal(answer) && (await isDone(id, command, context));
      return isKnown ? ask(id, null) : answer;
    },
    async known(id) {
      const cached = settled(id);
      return cached ? cached.state : load(id);
    },
  };
}

/** Whether nobody can have sent the command before that a stream begins with. */
const begins = <S, C extends EventValue, E extends EventValue>(
  { begunBy }: Decider<S, C, E>,
  asked: Asked<C> | undefined,
) => asked?.context.isFirst === true && asked.command.type === begunBy;

function answerAll<S, C, E>(
  batch: readonly Waiting<S, C, E>[],
  answers: readonly (readonly E[] | Refusal)[],
  { state, position }: StoredState<S>,
) {
  for (const [at, answer] of answers.entries()) {
    const refusedOrDone = isRefusal(answer)
      ? answer
      : ({ kind: 'accepted', events: answer, state, position } as const);
    batch[at]?.resolve(refusedOrDone);
  }
}

const traceOf = <S, C, E>(batch: readonly Waiting<S, C, E>[], commandId: string) =>
  batch.find(({ asked }) => asked?.context.commandId === commandId)?.trace ?? null;

/** Who loses a race again and again waits for longer, and never in step with the other. */
const pauseAfterConflict = (conflicts: number) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.random() * Math.min(2 ** conflicts, CONFLICT_PAUSE_MS_MAX)),
  );

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
