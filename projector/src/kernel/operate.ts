import { setTimeout as pause } from 'node:timers/promises';
import {
  type OperatorAnswer,
  type OperatorRequest,
  UNREADABLE_EVENTS,
} from '@tallyhand/read-models/kernel/operating';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { START } from '@tallyhand/service-kit/event-store/position';
import { errorFields } from '@tallyhand/service-kit/log';
import { sql } from 'kysely';
import { applyEvents, attempts, openTarget } from './apply-events.ts';
import { isAfter, lockCheckpoints } from './checkpoints.ts';
import { changesNotification } from './notify.ts';
import { parkStream } from './parked-streams.ts';
import { helpersOf, type Projection, type ProjectorContext, type Tx } from './projection.ts';
import { advanceRebuilds, askForRebuild, cancelRebuilds, pagesAhead } from './rebuild.ts';
import { isTransient } from './transact.ts';
import { recheckAllStreams, recheckStream } from './unreadable-events.ts';

const LOOK_MS = 1_000;
const AFTER_FAULT_MS = 1_000;
/** Events per transaction of a rebuild. */
const PAGE = 2_000;

/** Handles operator requests and rebuilds, step by step beside the live rows. */
export function operate(context: ProjectorContext): AsyncDisposable {
  const stopping = new AbortController();
  const tries = attempts(context.transact, stopping.signal);
  const pages = pagesAhead(context.eventLog, PAGE);

  async function step(): Promise<boolean> {
    if (!(await isWanted(context))) return false;
    await answerRequests(context);
    return advanceRebuilds(context, tries, pages);
  }

  async function loop() {
    await recheckAllStreams(context).catch((error) =>
      context.log.warn('unreadable events were not retried', errorFields(error)),
    );
    while (!stopping.signal.aborted) {
      const pauseMs = await step().then(
        (hasMore) => (hasMore ? 0 : LOOK_MS),
        (error) => {
          if (!stopping.signal.aborted) {
            context.log.warn('retrying what operators requested', errorFields(error));
          }
          return AFTER_FAULT_MS;
        },
      );
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
      await pages[Symbol.asyncDispose]();
    },
  };
}

async function isWanted({ db }: ProjectorContext): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`
    select exists (select from read_model.operator_requests where answer is null)
      or exists (select from read_model.rebuilds where state in ('waiting', 'building')) as wanted
  `.execute(db);
  return rows[0]?.wanted === true;
}

type Row = { readonly id: string; readonly request: OperatorRequest };

/** Handles new requests in order; each is answered once. */
async function answerRequests(context: ProjectorContext): Promise<void> {
  const { db } = context;
  // The requesting process deletes the request with its answer, unless it was killed.
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
  if (cancelled.length === 0) return { isDone: false, message: 'No rebuild is running.' };
  return { isDone: true, message: `Rebuild cancelled: ${cancelled.join(', ')}.` };
}

type Parked = { readonly projection: string; readonly stream: string };

/** Replays every stream that the event parked; with a reason, the event itself is skipped. */
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
      const isReadable = await recheckStream(context, stream);
      isDone &&= isReadable;
      const left = isReadable ? 'all events are readable' : 'an event is still unreadable';
      results.push(`${stream}: ${left}.`);
      continue;
    }
    const projection = context.projections.find(({ model }) => model.name === name);
    const isWell = projection ? await replayStream(context, projection, stream) : false;
    isDone &&= isWell;
    results.push(isWell ? `${name} has replayed ${stream}.` : whatStays(projection, name, stream));
  }
  return { isDone, message: results.join('\n') || 'No projection is parked at this event.' };
}

const whatStays = (projection: Projection | undefined, name: string, stream: string) =>
  projection ? `${name} still fails on ${stream}.` : `The read model ${name} no longer exists.`;

const skip = (tx: Tx, eventId: string, reason: string) =>
  sql`
    insert into read_model.skipped_events
      (projection, event_id, event_type, stream, position, reason)
    select projection, event_id, event_type, stream, position, ${reason}
    from read_model.parked_streams where event_id = ${eventId} and not is_next
    on conflict (projection, event_id) do nothing
  `.execute(tx);

const CHUNK = 500;

type ParkedAt = {
  readonly revision: string;
  readonly error: string;
  readonly later_events: string;
};
type Outcome = 'done' | 'more' | 'parked';

/**
 * Applies the missed events of a parked stream in order. False when an event fails again: the
 * stream is then parked there. Other projections wait for one chunk at most.
 */
async function replayStream(
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
  const { rows } = await sql<ParkedAt>`
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
  await changesNotification(position, changed).execute(tx);
  if (target.exceptions.isParked(name, stream)) {
    await countFromFormer(tx, name, stream, parked);
    return 'parked';
  }
  if (!next) return 'done';
  await parkStream(tx, false, name, next, parked.error);
  await countFromFormer(tx, name, stream, parked);
  return 'more';
}

/** The remaining later events: the former number minus those applied. */
const countFromFormer = (tx: Tx, name: string, stream: string, former: ParkedAt) =>
  sql`
    update read_model.parked_streams
    set later_events = greatest(0, ${former.later_events}::bigint
      - (revision - ${former.revision}::bigint))
    where projection = ${name} and stream = ${stream} and not is_next
  `.execute(tx);
