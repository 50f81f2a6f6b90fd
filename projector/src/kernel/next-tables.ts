import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { formatPosition, type Position } from '@tallyhand/service-kit/event-store/position';
import { sql } from 'kysely';
import { applyEvents, openTarget } from './apply-events.ts';
import type { Projection, Tx } from './projection.ts';
import { helpersOf, type ProjectorContext } from './surroundings.ts';

/** Drops the next tables, and forgets what was parked for them. */
export async function dropNext(tx: Tx, name: string) {
  await sql`select read_model.drop_next(${name})`.execute(tx);
  await sql`delete from read_model.parked_streams where projection = ${name} and is_next`.execute(
    tx,
  );
}

/** Applies events to the next tables, and notes how far they are. */
export async function applyToNext(
  tx: Tx,
  context: ProjectorContext,
  projection: Projection,
  {
    events,
    until,
    isolates,
  }: {
    readonly events: readonly StoredEvent[];
    readonly until: Position;
    readonly isolates: boolean;
  },
) {
  const helpers = helpersOf(tx, context);
  const target = await openTarget(tx, { isNext: true, helpers, isolates });
  await applyEvents(target, projection, events);
  await sql`
    update read_model.rebuilds set events_done = events_done + ${events.length},
      events_total = greatest(events_total, events_done + ${events.length}),
      position = ${formatPosition(until)}, updated_at = now()
    where projection = ${projection.model.name}
  `.execute(tx);
}
