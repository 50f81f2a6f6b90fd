/** The expected state of a stream: a revision, or one of EventStoreDB's three named states. */
export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

/** An event on its way in. `id` is a UUID in its usual text form, lower case. */
export type ProposedEvent = {
  id: string;
  type: string;
  contentType: string;
  metadata: Uint8Array;
  data: Uint8Array;
};

export type AppendRequest = { stream: string; expected: ExpectedRevision; events: ProposedEvent[] };

/**
 * `revision` is that of the stream's last event after the append (-1: the stream has none),
 * `position` that of the last event appended (null when nothing was appended and nothing had been).
 */
export type AppendResult =
  | { kind: 'appended'; revision: number; position: number | null }
  | { kind: 'wrong-expected-revision'; current: number };

/** An event as stored. Positions start at 1 and have no gaps; `created` is in Unix milliseconds. */
export type StoredEvent = {
  position: number;
  stream: string;
  revision: number;
  id: Uint8Array;
  type: string;
  contentType: string;
  created: number;
  metadata: Uint8Array;
  data: Uint8Array;
};

/** The revision of a stream without events. */
export const NO_STREAM = -1;
