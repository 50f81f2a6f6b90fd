import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** All the rules of one kind of stream, pure: time and ids arrive in the commands. */
export type Decider<S, C extends EventValue, E extends EventValue> = {
  /** Streams are named `{category}-{id}`. */
  readonly category: string;
  readonly kinds: Readonly<Record<E['type'], EventReader>>;
  initialState(): S;
  /** Events to append, none when there is nothing to do, or a refusal. */
  decide(command: C, state: S): readonly E[] | Refusal;
  /** May change `state` and return it: the fold stays linear. `at`: when it was recorded. */
  evolve(state: S, event: E, at: string): S;
  /** Nothing can follow any more: what is known of such a stream is not looked at again. */
  isFinal?(state: S): boolean;
  /**
   * What streams begin with under an id that is made for the command: where nobody can have sent it
   * before, nothing is read first.
   */
  readonly begunBy?: C['type'];
  /**
   * Commands that are refused once they are carried out. Where a call is taken up that may have been
   * carried out, it is looked whether the stream has its event.
   */
  readonly refusedOnceDone?: readonly C['type'][];
  /** Each event's envelope holds the hash of the one before it and its own. */
  readonly isChained?: true;
  /** How many states are kept in memory, where one may be large. */
  readonly cachedMax?: number;
  /** Only for streams that grow long. Raising `version` leaves older snapshots aside. */
  readonly snapshot?: {
    readonly version: number;
    readonly everyEvents: number;
    /** After so many already, once nobody has written for a moment. */
    readonly atRestEvents?: number;
    save(state: S): unknown;
    load(saved: unknown): S;
  };
};

/** How a decider's events of a type are read and which version of them is written. */
export function kindOf<S, C extends EventValue, E extends EventValue>(
  { category, kinds }: Decider<S, C, E>,
  type: string,
): EventReader {
  const kind = (kinds as Readonly<Record<string, EventReader | undefined>>)[type];
  if (!kind) throw new Error(`Streams of ${category} hold no events of type ${type}`);
  return kind;
}
