import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';

/** How streams of one kind are named, stored and cached; their rules are in the decider. */
export type StreamPolicy<
  State,
  Command extends EventValue,
  Event extends EventValue,
  Refused extends Refusal = Refusal,
> = {
  /** Streams are named `{category}-{id}`. */
  readonly category: string;
  readonly decider: Decider<State, Command, Event, Refused>;
  /** How each type of event is read, and which version of it is written. */
  readonly events: Readonly<Record<Event['type'], EventReader>>;
  /** The name of a command in metrics and traces; its type by default. */
  readonly nameOf?: (command: Command) => string;
  /** The first command of a stream. Sent under a new id, it is appended without a read before. */
  readonly begunBy?: Command['type'];
  /**
   * Commands that are refused when repeated. When a call is resumed that may have been carried out,
   * the stream is searched for the command's own event.
   */
  readonly refusedOnceDone?: readonly Command['type'][];
  /** No event can follow this state, so a cached copy is current. */
  readonly isFinal?: (state: State) => boolean;
  /** Each event's envelope holds the hash of the previous event and its own. */
  readonly isChained?: true;
  /** How many states are kept in memory, for states that may be large. */
  readonly cachedMax?: number;
  /** For streams that grow long. A new `version` makes stored snapshots obsolete. */
  readonly snapshot?: SnapshotPolicy<State>;
};

type SnapshotPolicy<State> = {
  readonly version: number;
  readonly everyEvents: number;
  /** After this many events, once the stream has been idle for a moment. */
  readonly atRestEvents?: number;
  save(state: State): unknown;
  load(saved: unknown): State;
};

/** How events of this type are read. Throws for an unknown type: a newer release wrote it. */
export function readerOf<S, C extends EventValue, E extends EventValue, R extends Refusal>(
  { category, events }: StreamPolicy<S, C, E, R>,
  type: string,
): EventReader {
  const reader = (events as Readonly<Record<string, EventReader | undefined>>)[type];
  if (!reader) throw new Error(`Streams of ${category} hold no events of type ${type}`);
  return reader;
}

export function decodeEvent<S, C extends EventValue, E extends EventValue, R extends Refusal>(
  policy: StreamPolicy<S, C, E, R>,
  { type, data, envelope }: StoredEvent,
): E {
  return { type, data: readerOf(policy, type).read(data, envelope.schemaVersion) } as E;
}

/** The rules of one kind of stream, pure: time and ids arrive in the commands. */
export type Decider<
  State,
  Command extends EventValue,
  Event extends EventValue,
  Refused extends Refusal = Refusal,
> = {
  initialState(): State;
  /** The events to append, none when there is nothing to do, or a refusal. */
  decide(command: Command, state: State): readonly Event[] | Refused;
  /** May change `state` and return it: replaying stays linear. `at`: when it was recorded. */
  evolve(state: State, event: Event, at: string): State;
};
