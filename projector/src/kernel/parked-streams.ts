import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import { sql } from 'kysely';
import type { Tx } from './projection.ts';

const ERROR_LENGTH_MAX = 2_000;

/** Parked streams, and events that an operator skipped. */
export type Exceptions = {
  isParked(projection: string, stream: string): boolean;
  isSkipped(projection: string, eventId: string): boolean;
  park(projection: string, stream: string): void;
};

export async function readExceptions(tx: Tx, isNext: boolean): Promise<Exceptions> {
  const { rows } = await sql<{ projection: string; stream: string | null; id: string | null }>`
    select projection, stream, null as id from read_model.parked_streams where is_next = ${isNext}
    union all select projection, null, event_id::text from read_model.skipped_events
  `.execute(tx);
  const key = (projection: string, name: string | null) => `${projection} ${name}`;
  const parked = new Set(
    rows.filter(({ stream }) => stream).map((row) => key(row.projection, row.stream)),
  );
  const skipped = new Set(rows.filter(({ id }) => id).map((row) => key(row.projection, row.id)));
  return {
    // Called for each event and projection; the sets are almost always empty.
    isParked: (projection, stream) => parked.size > 0 && parked.has(key(projection, stream)),
    isSkipped: (projection, eventId) => skipped.size > 0 && skipped.has(key(projection, eventId)),
    park: (projection, stream) => parked.add(key(projection, stream)),
  };
}

/** The first failing event parks its stream; later events of the stream are counted. */
export async function parkStream(
  tx: Tx,
  isNext: boolean,
  projection: string,
  { id, type, stream, revision, position }: StoredEvent,
  error: unknown,
) {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH_MAX);
  await sql`
    insert into read_model.parked_streams
      (projection, is_next, stream, event_id, event_type, revision, position, error)
    values (${projection}, ${isNext}, ${stream}, ${id}, ${type}, ${revision},
      ${formatPosition(position)}, ${text})
    on conflict (projection, is_next, stream) do update set event_id = excluded.event_id,
      event_type = excluded.event_type, revision = excluded.revision,
      position = excluded.position, error = excluded.error, later_events = 0
  `.execute(tx);
}

export async function countLater(
  tx: Tx,
  isNext: boolean,
  projection: string,
  events: readonly StoredEvent[],
) {
  const counts = new Map<string, number>();
  for (const { stream } of events) counts.set(stream, (counts.get(stream) ?? 0) + 1);
  await sql`
    update read_model.parked_streams p set later_events = p.later_events + c.events
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) c (stream, events)
    where p.projection = ${projection} and p.is_next = ${isNext} and p.stream = c.stream
  `.execute(tx);
}
