import {
  type AppendExpectedRevision,
  BACKWARDS,
  CancelledError,
  DeadlineExceededError,
  END,
  EventStoreDBClient,
  FORWARDS,
  NO_STREAM,
  NotLeaderError,
  type ResolvedEvent,
  StreamNotFoundError,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { Envelope } from '@tallyhand/contracts/kernel/envelope';
import { counter } from '../metrics/counter.ts';
import { histogram } from '../metrics/histogram.ts';
import { type AppendCalls, appendCalls, type RawEvent, UnansweredError } from './append-calls.ts';
import type { Position } from './position.ts';

const ATTEMPTS_MAX = 6;
const RETRY_FIRST_MS = 50;
/**
 * A connection supports a limited number of concurrent calls; further calls wait for their turn.
 */
const READS_AT_ONCE = 200;
/** The server's own events may follow the product's newest. */
const HEAD_LOOKED_BACK_MAX = 32;

const encoder = new TextEncoder();

/** A stored event; `data` is raw: readers check it against its declaration. */
export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly envelope: Envelope;
};

/** An event that is not the server's own, and that this release cannot read. */
export type UnreadableEvent = Omit<StoredEvent, 'data' | 'envelope'> & { readonly fault: string };

export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly envelope: Envelope;
};

/** The stream has grown since `expected`. */
export class RevisionConflict extends Error {
  readonly stream: string;
  constructor(stream: string) {
    super(`Stream ${stream} is at another revision`);
    this.stream = stream;
  }
}

/** The part of the event store's client that the product uses. */
export type EventLog = {
  /**
   * Appends all or nothing after `expected` (null: the stream must not exist). If the answer is
   * lost, the append is sent again with the same event ids, which the server recognizes.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: bigint | null,
  ): Promise<{ revision: bigint; position: Position }>;
  /** The stream's events from `from` on, oldest first; none when it does not exist. */
  read(stream: string, from: bigint): AsyncIterable<StoredEvent>;
  last(stream: string): Promise<StoredEvent | null>;
  /** The stream's events from `from` on that can't be read. */
  unreadable(
    stream: string,
    from: bigint,
    knowsType: (type: string) => boolean,
  ): Promise<readonly UnreadableEvent[]>;
  /** The position of the product's newest event, or null where there is none. */
  head(): Promise<Position | null>;
  readonly client: EventStoreDBClient;
  /** The nodes of the event store, without user and password. */
  readonly address: string;
  close(): Promise<void>;
};

export function openEventLog(connectionString: string): EventLog {
  const client = EventStoreDBClient.connectionString(connectionString);
  const turns = turnsOf(READS_AT_ONCE);
  const appends = appendCalls(client);
  return {
    client,
    address: connectionString.replace(/^.*?:\/\/(?:[^/?]*@)?|[/?].*$/g, ''),
    append: (stream, events, expected) =>
      observedAppend(
        { events: events.length, isConflict: (error) => error instanceof RevisionConflict },
        () => appendWithRetry(client, appends, stream, events.map(rawEvent), expected),
      ),
    read: (stream, from) => readInTurn(turns, client, stream, from),
    last: (stream) => lastEvent(client, stream),
    unreadable: (stream, from, knowsType) => unreadableEvents(client, stream, from, knowsType),
    head: () => headPosition(client),
    close: () => client.dispose(),
  };
}

async function appendWithRetry(
  client: EventStoreDBClient,
  appends: AppendCalls,
  stream: string,
  events: readonly RawEvent[],
  expected: bigint | null,
) {
  const expectedRevision: AppendExpectedRevision = expected ?? NO_STREAM;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const appended = await appends.append(stream, events, expectedRevision);
      const position = appended.position ?? (await lastEvent(client, stream))?.position;
      if (!position) throw new Error(`Stream ${stream} is empty after an append`);
      return { revision: appended.revision, position };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) throw new RevisionConflict(stream);
      if (!isPassing(error) || attempt === ATTEMPTS_MAX) throw error;
      appendRetries.add({});
      await pauseAfter(attempt);
    }
  }
}

const rawEvent = ({ id, type, data, envelope }: NewEvent): RawEvent => ({
  id,
  type,
  data: encoder.encode(JSON.stringify(data)),
  metadata: encoder.encode(JSON.stringify(envelope)),
});

const isOutage = (error: unknown) =>
  error instanceof UnansweredError ||
  error instanceof UnavailableError ||
  error instanceof CancelledError ||
  error instanceof NotLeaderError;

/** Another node leads, or the connection broke: the append may have happened. */
const isPassing = (error: unknown) =>
  isOutage(error) ||
  (error instanceof Error && /UNAVAILABLE|CANCELLED|ECONNRE|INTERNAL/.test(error.message));

/** The event store is down, has no leader, or is too busy to answer in time. */
export const isEventStoreFault = (error: unknown): boolean =>
  isOutage(error) ||
  error instanceof DeadlineExceededError ||
  (error instanceof Error &&
    /UNAVAILABLE|DEADLINE_EXCEEDED|Failed to discover/i.test(error.message));

type Turns = { take(): Promise<void>; give(): void };

/** At most `atOnce` run; later callers wait, in order. */
function turnsOf(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}

/** Waits for its turn, and resumes after the last event if the connection is lost. */
async function* readInTurn(turns: Turns, client: EventStoreDBClient, stream: string, from: bigint) {
  await turns.take();
  try {
    let next = from;
    for (let attempt = 1; ; attempt += 1) {
      try {
        for await (const event of readStream(client, stream, next)) {
          next = event.revision + 1n;
          yield event;
        }
        return;
      } catch (error) {
        if (!isPassing(error) || attempt === ATTEMPTS_MAX) throw error;
        await pauseAfter(attempt);
      }
    }
  } finally {
    turns.give();
  }
}

const pauseAfter = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, RETRY_FIRST_MS * 2 ** (attempt - 1)));

async function* readStream(client: EventStoreDBClient, stream: string, from: bigint) {
  const read = client.readStream(stream, { direction: FORWARDS, fromRevision: from });
  let isLeftEarly = true;
  try {
    for await (const resolved of read.iterator({ destroyOnReturn: false })) {
      const event = toStored(resolved);
      if (event) yield event;
    }
    isLeftEarly = false;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  } finally {
    // An unfinished read would stay open and keep the client from being closed.
    if (isLeftEarly) {
      await read.cancel();
      read.resume();
    }
  }
}

/** Reads are read to their end: the client can't be closed while one was left early. */
async function lastEvent(client: EventStoreDBClient, stream: string): Promise<StoredEvent | null> {
  let last: StoredEvent | null = null;
  try {
    for await (const resolved of client.readStream(stream, {
      direction: BACKWARDS,
      fromRevision: END,
      maxCount: 1,
    })) {
      last ??= toStored(resolved);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return last;
}

async function unreadableEvents(
  client: EventStoreDBClient,
  stream: string,
  from: bigint,
  knowsType: (type: string) => boolean,
): Promise<readonly UnreadableEvent[]> {
  const found: UnreadableEvent[] = [];
  try {
    const read = client.readStream(stream, { direction: FORWARDS, fromRevision: from });
    for await (const resolved of read) {
      const event = unreadableOf(resolved, knowsType);
      if (event) found.push(event);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return found;
}

async function headPosition(client: EventStoreDBClient): Promise<Position | null> {
  let head: Position | null = null;
  for await (const resolved of client.readAll({
    direction: BACKWARDS,
    fromPosition: END,
    maxCount: HEAD_LOOKED_BACK_MAX,
  })) {
    head ??= toStored(resolved)?.position ?? null;
  }
  return head;
}

/** Null for events that are not the product's own: the server's, or of a foreign kind. */
export function toStored({ event }: Pick<ResolvedEvent, 'event'>): StoredEvent | null {
  if (!event?.isJson || event.type.startsWith('$')) return null;
  if (!Envelope.safeParse(event.metadata).success) return null;
  return {
    ...placeOf(event),
    data: event.data as Record<string, unknown>,
    // As stored: a link's hash covers fields that a newer writer may have added.
    envelope: event.metadata as Envelope,
  };
}

/** Null for readable events, and for the server's own. */
export function unreadableOf(
  { event }: Pick<ResolvedEvent, 'event'>,
  knowsType: (type: string) => boolean,
): UnreadableEvent | null {
  if (!event || event.type.startsWith('$')) return null;
  const fault = faultOf(event, knowsType);
  return fault === null ? null : { ...placeOf(event), fault };
}

function faultOf(
  { isJson, metadata, type }: NonNullable<ResolvedEvent['event']>,
  knowsType: (type: string) => boolean,
): string | null {
  if (!isJson) return 'it is not JSON';
  const [issue] = Envelope.safeParse(metadata).error?.issues ?? [];
  if (issue) return `its envelope is malformed: ${issue.path.join('.') || 'all'}: ${issue.message}`;
  return knowsType(type) ? null : 'this release knows no event of its type';
}

const placeOf = (event: NonNullable<ResolvedEvent['event']>) => ({
  id: event.id,
  stream: event.streamId,
  revision: event.revision,
  position: (event as { position?: Position }).position ?? { commit: 0n, prepare: 0n },
  type: event.type,
});

const appends = histogram({
  name: 'tallyhand_event_store_append_duration_seconds',
  help: 'How long appends took, by outcome; a conflict is decided again on the new state.',
  bounds: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
});
const appended = counter({
  name: 'tallyhand_event_store_appended_events_total',
  help: 'Events that were stored.',
  known: [{}],
});

const appendRetries = counter({
  name: 'tallyhand_event_store_append_retries_total',
  help: 'Appends that were asked for again since the answer was lost.',
  known: [{}],
});

type Append = {
  readonly events: number;
  /** Whether another writer was first in the stream. */
  readonly isConflict: (error: unknown) => boolean;
};

/** Measures an append, which does as without it. */
async function observedAppend<T>(
  { events, isConflict }: Append,
  append: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const note = (outcome: 'stored' | 'conflict' | 'failed') =>
    appends.observe({ outcome }, (performance.now() - started) / 1000);
  try {
    const result = await append();
    note('stored');
    appended.add({}, events);
    return result;
  } catch (error) {
    note(isConflict(error) ? 'conflict' : 'failed');
    throw error;
  }
}
