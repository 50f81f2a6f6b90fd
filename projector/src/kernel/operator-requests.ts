import { UNREADABLE_EVENTS } from '@tallyhand/read-models/kernel/operating';
import type {
  OperatorAnswer,
  OperatorRequest,
} from '@tallyhand/read-models/kernel/operator-requests';
import { sql } from 'kysely';
import { replayStream } from './parked-replay.ts';
import type { Projection, Tx } from './projection.ts';
import { askForRebuild, cancelRebuilds } from './rebuild.ts';
import type { ProjectorContext } from './surroundings.ts';
import { isTransient } from './transient.ts';
import { lookAgain } from './unreadable-events.ts';

type Row = { readonly id: string; readonly request: OperatorRequest };

/** Does what was asked for since, in order; each request is answered once. */
export async function answerRequests(context: ProjectorContext): Promise<void> {
  const { db } = context;
  // The asking process removes the request with its answer, unless it was ended.
  await sql`delete from read_model.operator_requests
    where answer is not null and requested_at < now() - interval '1 hour'`.execute(db);
  const { rows } = await sql<Row>`
    select request_id as id, request from read_model.operator_requests
    where answer is null order by requested_at, request_id
  `.execute(db);
  for (const { id, request } of rows) {
    const answer = await answerOf(context, request).catch((error): OperatorAnswer => {
      if (isTransient(error)) throw error;
      return { isDone: false, message: error instanceof Error ? error.message : String(error) };
    });
    await sql`update read_model.operator_requests set answer = ${JSON.stringify(answer)}::jsonb
      where request_id = ${id}`.execute(db);
  }
}

async function answerOf(
  context: ProjectorContext,
  request: OperatorRequest,
): Promise<OperatorAnswer> {
  switch (request.kind) {
    case 'rebuild':
      return rebuild(context, request.projections, request.acceptsDifferences);
    case 'cancel-rebuild':
      return cancel(context, request.projections);
    case 'retry-event':
      return replay(context, request.eventId, null);
    case 'skip-event':
      return replay(context, request.eventId, request.reason);
  }
}

const named = ({ projections }: ProjectorContext, names: readonly string[] | null) =>
  projections.filter(({ model }) => !names || names.includes(model.name));

async function rebuild(
  context: ProjectorContext,
  names: readonly string[] | null,
  acceptsDifferences: boolean,
): Promise<OperatorAnswer> {
  const wanted = named(context, names);
  const unknown = names?.filter((name) => !wanted.some(({ model }) => model.name === name)) ?? [];
  if (unknown.length > 0) {
    const known = context.projections.map(({ model }) => model.name).join(', ');
    const message = `There is no read model ${unknown.join(', ')}. There are: ${known}.`;
    return { isDone: false, message };
  }
  await context.transact(async (tx) => {
    for (const { model } of wanted) await askForRebuild(tx, model, acceptsDifferences);
  });
  const list = wanted.map(({ model }) => model.name).join(', ');
  return { isDone: true, message: `Rebuilding: ${list}.` };
}

async function cancel(
  context: ProjectorContext,
  names: readonly string[] | null,
): Promise<OperatorAnswer> {
  const wanted = named(context, names).map(({ model }) => model.name);
  const cancelled = await context.transact((tx) => cancelRebuilds(tx, wanted));
  if (cancelled.length === 0) return { isDone: false, message: 'Nothing is being built.' };
  return { isDone: true, message: `No longer built: ${cancelled.join(', ')}.` };
}

type Parked = { readonly projection: string; readonly stream: string };

/** For every projection that the event has stopped; with a reason, the event itself is left out. */
async function replay(
  context: ProjectorContext,
  eventId: string,
  skipReason: string | null,
): Promise<OperatorAnswer> {
  const parked = await context.transact(async (tx) => {
    if (skipReason !== null) await skip(tx, eventId, skipReason);
    const { rows } = await sql<Parked>`
      select projection, stream from read_model.parked_streams
      where event_id = ${eventId} and not is_next order by projection
    `.execute(tx);
    return rows;
  });
  const results: string[] = [];
  let isDone = parked.length > 0;
  for (const { projection: name, stream } of parked) {
    if (name === UNREADABLE_EVENTS) {
      const isReadable = await lookAgain(context, stream);
      isDone &&= isReadable;
      const left = isReadable ? 'no unreadable event is left' : 'an unreadable event is left';
      results.push(`${stream}: ${left}.`);
      continue;
    }
    const projection = context.projections.find(({ model }) => model.name === name);
    const isWell = projection ? await replayStream(context, projection, stream) : false;
    isDone &&= isWell;
    results.push(isWell ? `${name} has all of ${stream}.` : whatStays(projection, name, stream));
  }
  return { isDone, message: results.join('\n') || 'No projection is stopped by such an event.' };
}

const whatStays = (projection: Projection | undefined, name: string, stream: string) =>
  projection
    ? `${name} is stopped by ${stream} still.`
    : `There is no read model ${name} any more.`;

const skip = (tx: Tx, eventId: string, reason: string) =>
  sql`
    insert into read_model.skipped_events
      (projection, event_id, event_type, stream, position, reason)
    select projection, event_id, event_type, stream, position, ${reason}
    from read_model.parked_streams where event_id = ${eventId} and not is_next
    on conflict (projection, event_id) do nothing
  `.execute(tx);
