import { Envelope } from '@tallyhand/contracts/kernel/envelope';
import { readEvents } from '@tallyhand/event-store/storage/copies';
import type { StoredEvent } from '@tallyhand/event-store/storage/events';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import type { EventLog, NewEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { OperatorError } from '../operator/operator-error.ts';
import { uuidOf } from './event-lines.ts';

/** Comfortably within the limits of an append of EventStoreDB. */
const APPEND_EVENTS_MAX = 100;
const APPEND_BYTES_MAX = 500_000;
const PROGRESS_EVENTS = 10_000;

export type EventMove = {
  readonly eventStoreDir: string;
  /** The position of the last event here. */
  readonly head: number;
  readonly target: EventLog;
};

/** The positions of the product's events there, by their position here. */
export type MovedPositions = ReadonlyMap<number, string>;

/**
 * Appends every event to the target, in the order of $all, and reads all of them back. Skips what
 * an earlier move has appended. Throws an OperatorError if other events are there. `wanted`:
 * positions here that must be known there.
 */
export async function moveEvents(
  move: EventMove,
  wanted: ReadonlySet<number>,
  say: (line: string) => void,
): Promise<MovedPositions> {
  const before = await compare(move, new Set());
  if (before.count > 0) say(`${before.count} of ${move.head} events are there already.`);
  await append(move, before.count, say);
  const { count, positions } = await compare(move, wanted);
  if (count !== move.head) {
    throw new OperatorError(`Only ${count} of ${move.head} events arrived. Move again.`);
  }
  return positions;
}

/** How many of the target's events are ours, one by one; throws when there is any other. */
async function compare(
  { eventStoreDir, head, target }: EventMove,
  wanted: ReadonlySet<number>,
): Promise<{ readonly count: number; readonly positions: MovedPositions }> {
  const ours = readEvents(eventStoreDir, head);
  const positions = new Map<number, string>();
  let count = 0;
  let foreign: string | null = null;
  // Read to its end in any case: a client can't be closed while a read was left.
  for await (const { event } of target.client.readAll()) {
    if (!event || event.type.startsWith('$') || foreign) continue;
    const own = (await ours.next()).value;
    const isSame =
      own &&
      event.id === uuidOf(own.id) &&
      event.streamId === own.stream &&
      event.revision === BigInt(own.revision) &&
      event.type === own.type &&
      event.isJson &&
      canonicalJson(event.data) === canonicalJson(jsonOf(own.data)) &&
      canonicalJson(event.metadata) === canonicalJson(jsonOf(own.metadata));
    if (!isSame) {
      foreign = `${event.type} of ${event.streamId}`;
      continue;
    }
    count += 1;
    const { position } = event as { position?: { commit: bigint; prepare: bigint } };
    if (position && wanted.has(own.position)) positions.set(own.position, formatPosition(position));
  }
  await ours.return(undefined);
  if (!foreign) return { count, positions };
  throw new OperatorError(
    `The cluster holds an event that is not ours, or stands elsewhere here (${foreign}). Nothing ` +
      'more was written to it: name one that is empty.',
  );
}

async function append(move: EventMove, done: number, say: (line: string) => void) {
  let together: StoredEvent[] = [];
  let bytes = 0;
  async function flush() {
    const [first] = together;
    if (!first) return;
    const expected = first.revision === 0 ? null : BigInt(first.revision - 1);
    await move.target.append(first.stream, together.map(asNewEvent), expected).catch(explain);
    together = [];
    bytes = 0;
  }
  for await (const event of readEvents(move.eventStoreDir, move.head, done + 1)) {
    const size = event.data.byteLength + event.metadata.byteLength;
    const isFull = together.length >= APPEND_EVENTS_MAX || bytes + size > APPEND_BYTES_MAX;
    if (isFull || together[0]?.stream !== event.stream) await flush();
    together.push(event);
    bytes += size;
    if (event.position % PROGRESS_EVENTS === 0) say(`${event.position} of ${move.head} events`);
  }
  await flush();
}

/** It is unreachable, or its disk is full: the operator needs its message. */
function explain(error: unknown): never {
  const { type, message } = error as { type?: unknown; message?: unknown };
  if (type !== 'unavailable') throw error;
  throw new OperatorError(
    `The cluster takes no more events (${message}). Those that arrived stay there: move again when ` +
      'it takes more, and it goes on where it was.',
  );
}

function asNewEvent({ id, type, data, metadata }: StoredEvent): NewEvent {
  const envelope = jsonOf(metadata);
  // The raw data, not parsed: fields that a newer writer may have added are preserved.
  Envelope.parse(envelope);
  return { id: uuidOf(id), type, data: jsonOf(data), envelope: envelope as Envelope };
}

const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());
