import { eventsByCategory } from '@tallyhand/contracts/events';
import { UNREADABLE_EVENTS } from '@tallyhand/read-models/kernel/operating';
import type { UnreadableEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { sql } from 'kysely';
import type { ProjectorContext, Tx } from './projection.ts';

const types = new Set<string>(
  Object.values(eventsByCategory).flatMap((kinds) => Object.keys(kinds)),
);

/** Whether this release declares the event type. */
export const knowsType = (type: string): boolean => types.has(type);

/**
 * Records events that no projection can read, among the parked streams: status, metrics and
 * operator commands show them. Only the first one of a stream is recorded until it is resolved.
 */
export async function noteUnreadable(
  { transact, log }: ProjectorContext,
  events: readonly UnreadableEvent[],
): Promise<void> {
  const noted = await transact(async (tx) => {
    const fresh: UnreadableEvent[] = [];
    for (const event of events) if (await note(tx, event)) fresh.push(event);
    return fresh;
  });
  for (const { stream, id, type, fault } of noted) {
    log.error('an event cannot be read', { stream, eventId: id, type, error: fault });
  }
}

async function note(
  tx: Tx,
  { id, type, stream, revision, position, fault }: UnreadableEvent,
): Promise<boolean> {
  const { rows } = await sql`
    insert into read_model.parked_streams
      (projection, is_next, stream, event_id, event_type, revision, position, error)
    select ${UNREADABLE_EVENTS}, false, ${stream}, ${id}::uuid, ${type}, ${revision}::bigint,
      ${formatPosition(position)}, ${fault}
    where not exists (select from read_model.skipped_events
      where projection = ${UNREADABLE_EVENTS} and event_id = ${id}::uuid)
    on conflict (projection, is_next, stream) do nothing
    returning stream
  `.execute(tx);
  return rows.length > 0;
}

/** Checks a stream again from the recorded event; true when all events are readable. */
export async function recheckStream(context: ProjectorContext, stream: string): Promise<boolean> {
  const { transact, eventLog } = context;
  return transact(async (tx) => {
    const { rows } = await sql<{ revision: string }>`
      delete from read_model.parked_streams
      where projection = ${UNREADABLE_EVENTS} and stream = ${stream} and not is_next
      returning revision
    `.execute(tx);
    const [noted] = rows;
    if (!noted) return true;
    const events = await eventLog.unreadable(stream, BigInt(noted.revision), knowsType);
    for (const event of events) if (await note(tx, event)) return false;
    return true;
  });
}

/** A newer release may know types that an older one did not. */
export async function recheckAllStreams(context: ProjectorContext): Promise<void> {
  const { rows } = await sql<{ stream: string }>`
    select stream from read_model.parked_streams
    where projection = ${UNREADABLE_EVENTS} and not is_next
  `.execute(context.db);
  for (const { stream } of rows) await recheckStream(context, stream);
}
