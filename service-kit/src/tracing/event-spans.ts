import type { NewEvent, StoredEvent } from '../event-store/event-log.ts';
import { type Parent, spanIdOf, type TraceContext, traceIdOf } from './trace-context.ts';
import { beginSpan, isTracing, parentIn, tracedFrom } from './tracing.ts';

/** A process that catches up, or starts from scratch, is no part of an old trace. */
const FRESH_MS_MAX = 600_000;

type EventPlace = { readonly id: string; readonly correlationId: string };

/** The span of an event's append, by any process; null if it belongs to no trace. */
export function placeOfEvent({ id, correlationId }: EventPlace): Parent | null {
  const traceId = traceIdOf(correlationId);
  return traceId === null ? null : { traceId, spanId: spanIdOf(id) };
}

const appendOf = ({ id, envelope }: StoredEvent) =>
  placeOfEvent({ id, correlationId: envelope.correlationId });

const isFresh = ({ envelope }: StoredEvent, now: number) =>
  now - Date.parse(envelope.recordedAt) < FRESH_MS_MAX;

const attributesOf = (stream: string, { envelope }: Pick<StoredEvent, 'envelope'>) => ({
  'tallyhand.stream': stream,
  ...(envelope.organizationId ? { 'tallyhand.organization': envelope.organizationId } : {}),
});

/**
 * A span for each event appended since `startedAt`, below the span of the command that caused it.
 * Its id derives from the event's, so that every handler of the event can continue below it.
 */
export function noteAppended(
  stream: string,
  events: readonly NewEvent[],
  startedAt: number,
  commandOf: (commandId: string) => TraceContext | null,
): void {
  if (!isTracing()) return;
  for (const event of events) {
    const { correlationId, commandId } = event.envelope;
    const parent = parentIn(correlationId, commandOf(commandId));
    if (!parent) continue;
    beginSpan(`append ${event.type}`, parent, {
      kind: 'producer',
      spanId: spanIdOf(event.id),
      startedAt,
      attributes: attributesOf(stream, event),
    })?.end();
  }
}

/**
 * Handles a batch of events, and notes for each that is fresh how long that took: one batch belongs
 * to as many traces as it has events. One that fails comes again, and is noted then.
 */
export async function tracedBatch(
  verb: string,
  events: readonly StoredEvent[],
  handle: () => Promise<void>,
): Promise<void> {
  if (!isTracing()) return handle();
  const startedAt = Date.now();
  await handle();
  for (const event of events) {
    const parent = isFresh(event, startedAt) ? appendOf(event) : null;
    if (!parent) continue;
    beginSpan(`${verb} ${event.type}`, parent, {
      kind: 'consumer',
      startedAt,
      attributes: { ...attributesOf(event.stream, event), 'tallyhand.batch': events.length },
    })?.end();
  }
}

/** Handles a fresh event in a span below the event's append. */
export function tracedReaction(
  name: string,
  event: StoredEvent,
  react: () => Promise<void>,
): Promise<void> {
  const parent = isTracing() && isFresh(event, Date.now()) ? appendOf(event) : null;
  if (!parent) return react();
  const attributes = attributesOf(event.stream, event);
  return tracedFrom(parent, `react ${name}`, { kind: 'consumer', attributes }, react);
}
