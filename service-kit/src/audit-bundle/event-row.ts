import type { StoredEvent } from '../event-store/event-log.ts';
import { storable } from '../storable.ts';
import type { AuditRow } from './row.ts';

/** A row without what is outside its hash. */
export type EventRow = Omit<AuditRow, 'revealed'>;

/** The row of a stored event in its organization's audit log. Nothing else decides what is in it. */
export function rowOfEvent(event: StoredEvent, sequence: number): EventRow {
  const { id: eventId, type, stream, envelope } = event;
  const { actor, correlationId, causationId, commandId, schemaVersion, sourceAddress } = envelope;
  return {
    sequence,
    eventId,
    type,
    schemaVersion,
    stream,
    at: new Date(envelope.recordedAt).toISOString(),
    actor: { kind: actor.kind, id: actor.id ?? null, signInId: actor.signInId ?? null },
    correlationId,
    causationId,
    commandId,
    // Events from other writers may contain text that PostgreSQL can't store.
    data: storable(event.data),
    sourceAddress: sourceAddress ?? null,
  };
}
