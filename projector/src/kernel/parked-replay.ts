import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { START } from '@tallyhand/service-kit/event-store/position';
import { sql } from 'kysely';
import { applyEvents, openTarget } from './apply-events.ts';
import { isAfter, lockCheckpoints } from './checkpoints.ts';
import { changesNotice } from './notify.ts';
import { parkStream } from './parked-streams.ts';
import type { Projection, Tx } from './projection.ts';
import { helpersOf, type ProjectorContext } from './surroundings.ts';

const CHUNK = 500;

type Parked = { readonly revision: string; readonly error: string; readonly later_events: string };
type Outcome = 'done' | 'more' | 'parked';

/**
 * Gives a projection what it has missed of a parked stream, in order. False when an event of it
 * fails (again): then the stream is parked there. The others wait for no more than a chunk.
 */
export async function replayStream(
  context: ProjectorContext,
  projection: Projection,
  stream: string,
): Promise<boolean> {
  for (;;) {
    const outcome = await context.transact((tx) => replayChunk(tx, context, projection, stream));
    if (outcome !== 'more') return outcome === 'done';
  }
}

async function replayChunk(
  tx: Tx,
  context: ProjectorContext,
  projection: Projection,
  stream: string,
): Promise<Outcome> {
  const { name, feature } = projection.model;
  const checkpoints = await lockCheckpoints(tx);
  const position = checkpoints.get(name)?.position ?? START;
  const { rows } = await sql<Parked>`
    delete from read_model.parked_streams
    where projection = ${name} and stream = ${stream} and not is_next
    returning revision, error, later_events
  `.execute(tx);
  const parked = rows[0];
  if (!parked) return 'done';
  const events: StoredEvent[] = [];
  for await (const event of context.eventLog.read(stream, BigInt(parked.revision))) {
    if (isAfter(event.position, position) || events.length > CHUNK) break;
    events.push(event);
  }
  const next = events[CHUNK];
  const chunk = events.slice(0, CHUNK);
  const helpers = helpersOf(tx, context);
  const target = await openTarget(tx, { isNext: false, helpers, isolates: true });
  const touched = await applyEvents(target, projection, chunk);
  const changed = new Map([...touched].map((id) => [id, new Set([feature])] as const));
  await changesNotice(position, changed).execute(tx);
  if (target.exceptions.isParked(name, stream)) {
    await countFromFormer(tx, name, stream, parked);
    return 'parked';
  }
  if (!next) return 'done';
  await parkStream(tx, false, name, next, parked.error);
  await countFromFormer(tx, name, stream, parked);
  return 'more';
}

/** What is still to come is what was, less what has been made good. */
const countFromFormer = (tx: Tx, name: string, stream: string, former: Parked) =>
  sql`
    update read_model.parked_streams
    set later_events = greatest(0, ${former.later_events}::bigint
      - (revision - ${former.revision}::bigint))
    where projection = ${name} and stream = ${stream} and not is_next
  `.execute(tx);
