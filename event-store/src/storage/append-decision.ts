import { type ExpectedRevision, NO_STREAM } from './events.ts';

/** An event found by a repeated append, with its position. */
export type KnownEvent = { revision: number; position: number };

/** The state of the stream that the decision needs. */
export type StreamView = {
  /** The revision of the last event, or NO_STREAM. */
  current: number;
  /** The event of this stream with the id, if there is one at the revision (null: at any). */
  find(id: string, revision: number | null): KnownEvent | null;
};

export type AppendDecision =
  | { kind: 'append' }
  | { kind: 'already-appended'; last: KnownEvent }
  | { kind: 'wrong-expected-revision' };

/**
 * Decides as EventStoreDB 23.10 does. An append that repeats events that are already there, all of
 * them and with the same expectation, is answered as the first time; one that repeats only some of
 * them is refused.
 */
export function decideAppend(
  expected: ExpectedRevision,
  eventIds: readonly string[],
  stream: StreamView,
): AppendDecision {
  if (expected === 'any' || expected === 'stream_exists') {
    if (expected === 'stream_exists' && stream.current === NO_STREAM) return REFUSED;
    return eventIds.length === 0
      ? APPEND
      : repeated(eventIds, APPEND, (id) => stream.find(id, null));
  }
  const revision = expected === 'no_stream' ? NO_STREAM : expected;
  if (revision === stream.current) return APPEND;
  if (revision > stream.current || eventIds.length === 0) return REFUSED;
  return repeated(eventIds, REFUSED, (id, index) => stream.find(id, revision + 1 + index));
}

const APPEND: AppendDecision = { kind: 'append' };
const REFUSED: AppendDecision = { kind: 'wrong-expected-revision' };

function repeated(
  eventIds: readonly string[],
  whenFirstIsNew: AppendDecision,
  find: (id: string, index: number) => KnownEvent | null,
): AppendDecision {
  let last: KnownEvent | null = null;
  for (const [index, id] of eventIds.entries()) {
    const known = find(id, index);
    if (known === null) return index === 0 ? whenFirstIsNew : REFUSED;
    last = known;
  }
  return last === null ? whenFirstIsNew : { kind: 'already-appended', last };
}
