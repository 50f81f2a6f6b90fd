import { setTimeout as pause } from 'node:timers/promises';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { followAll } from '@tallyhand/service-kit/event-store/follow-all';
import { type Position, parsePosition, START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { errorFields } from '@tallyhand/service-kit/log';
import { tracedBatch } from '@tallyhand/service-kit/tracing/event-spans';
import { sql } from 'kysely';
import { applyEvents, attempts, openTarget } from './apply-events.ts';
import {
  addCheckpoints,
  checkpointsMove,
  earlier,
  isAfter,
  lockCheckpoints,
} from './checkpoints.ts';
import { changesNotification } from './notify.ts';
import { operate } from './operate.ts';
import {
  type AtEnd,
  helpersOf,
  type Projection,
  type ProjectorContext,
  type Tx,
} from './projection.ts';
import { askForOutdated } from './rebuild.ts';
import { knowsType, noteUnreadable } from './unreadable-events.ts';

const BATCH_MAX = 500;
/** Longer than a batch with one event takes. It pays from a few hundred commands a second. */
const GATHERING_MS = 10;

/**
 * Follows the event store and keeps the read models up to date until it is disposed; runs rebuilds
 * and operator requests.
 */
export function runProjections(context: ProjectorContext): AsyncDisposable {
  const { transact, eventLog, log, projections } = context;
  const stopping = new AbortController();
  const { run } = attempts(transact, stopping.signal);
  const following = followAll({
    eventLog,
    log,
    name: 'projections',
    batchMax: BATCH_MAX,
    gatherMs: GATHERING_MS,
    from: () =>
      transact(async (tx) => {
        await addCheckpoints(tx, projections);
        await askForOutdated(tx, projections);
        const checkpoints = await lockCheckpoints(tx);
        return projections
          .map(({ model }) => checkpoints.get(model.name)?.position ?? START)
          .reduce(earlier);
      }),
    unreadable: { knowsType, note: (events) => noteUnreadable(context, events) },
    handle: (events) =>
      tracedBatch('project', events, () =>
        run((tx, isolates, atEnd) => applyBatch(tx, context, { events, isolates, atEnd })),
      ),
  });
  const operating = operate(context);
  const beating = heartbeat(context);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all([following, operating, beating].map((part) => part[Symbol.asyncDispose]()));
    },
  };
}

type Batch = {
  readonly events: readonly StoredEvent[];
  readonly isolates: boolean;
  readonly atEnd: AtEnd;
};

async function applyBatch(
  tx: Tx,
  context: ProjectorContext,
  { events, isolates, atEnd }: Batch,
): Promise<void> {
  const last = events.at(-1);
  if (!last) return;
  const helpers = helpersOf(tx, context);
  const [checkpoints, target] = await Promise.all([
    lockCheckpoints(tx),
    openTarget(tx, { isNext: false, helpers, isolates }),
  ]);
  const counts = new Map<string, number>();
  const applied = await eachApplied(context.projections, isolates, (projection) => {
    const { name } = projection.model;
    const checkpoint = checkpoints.get(name)?.position ?? START;
    const fresh = events.filter(({ position }) => isAfter(position, checkpoint));
    counts.set(name, fresh.length);
    return applyEvents(target, projection, fresh);
  });
  const changed = new Map<string, Set<string>>();
  for (const [at, organizationIds] of applied.entries()) {
    const feature = context.projections[at]?.model.feature ?? '';
    for (const organizationId of organizationIds) {
      const features = changed.get(organizationId) ?? new Set();
      changed.set(organizationId, features.add(feature));
    }
  }
  atEnd(sql`with moved as (${checkpointsMove(last.position, counts)})
    ${changesNotification(last.position, changed, new Set(events.map(({ stream }) => stream)))}`);
}

type Touched = ReadonlySet<string>;

/**
 * Projections share no tables, so their statements may be interleaved on the connection. Only to
 * isolate failing events they run one after the other.
 */
async function eachApplied(
  projections: readonly Projection[],
  isolates: boolean,
  apply: (projection: Projection) => Promise<Touched>,
): Promise<readonly Touched[]> {
  if (isolates) {
    const applied: Touched[] = [];
    for (const projection of projections) applied.push(await apply(projection));
    return applied;
  }
  const outcomes = await Promise.allSettled(projections.map(apply));
  const faults = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  // The first failure aborts the transaction and makes later statements fail too.
  if (faults.length > 0) throw faults.find((fault) => !isAborted(fault)) ?? faults[0];
  return outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const IN_FAILED_TRANSACTION = '25P02';
const isAborted = (fault: { readonly code?: unknown } | null) =>
  fault?.code === IN_FAILED_TRANSACTION;

const BEAT_MS = 2_000;
const ANSWER_MS_MAX = 5_000;
/** A larger lag is reported as this many events. */
const BEHIND_MAX = 1_000;

type Lag = { readonly projection: string; readonly seconds: number; readonly events: number };

/** Reports periodically that the projector is alive, its event store errors and its lag. */
function heartbeat(context: ProjectorContext): AsyncDisposable {
  const stopping = new AbortController();

  async function loop() {
    while (!stopping.signal.aborted) {
      await beat(context, stopping.signal).catch((error) => {
        if (!stopping.signal.aborted) context.log.warn('heartbeat failed', errorFields(error));
      });
      await pause(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}

async function beat(context: ProjectorContext, stop: AbortSignal) {
  const { rows } = await sql<{ projection: string; position: string }>`
    select projection, position from read_model.checkpoints`.execute(context.db);
  const checkpoints = rows.map((row) => ({
    projection: row.projection,
    position: parsePosition(row.position) ?? START,
  }));
  let fault: string | null = null;
  let lags: readonly Lag[] = [];
  try {
    lags = await withinTime(stop, lagsOf(context, checkpoints));
  } catch (error) {
    if (stop.aborted) return;
    fault = error instanceof Error ? error.message : String(error);
  }
  await sql`
    with kept as (
      insert into read_model.projection_lags
        select r.* from jsonb_populate_recordset(null::read_model.projection_lags,
          ${JSON.stringify(lags)}) r
      on conflict (projection) do update set seconds = excluded.seconds, events = excluded.events
    )
    insert into read_model.projector_heartbeat (beat_at, event_store_error) values (now(), ${fault})
    on conflict (is_only) do update set beat_at = now(),
      event_store_error = excluded.event_store_error
  `.execute(context.db);
}

/** A silently cut connection never fails by itself. */
function withinTime<T>(stop: AbortSignal, read: Promise<T>): Promise<T> {
  const end = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS_MAX)]);
  const late = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(new Error('The event store does not answer')));
  });
  return Promise.race([read, late]);
}

type Place = { readonly projection: string; readonly position: Position };

async function lagsOf({ eventLog }: ProjectorContext, places: readonly Place[]): Promise<Lag[]> {
  const first = places
    .map(({ position }) => position)
    .reduce(earlier, places[0]?.position ?? START);
  const { events } = await readAllAfter(eventLog, first, BEHIND_MAX);
  return places.map(({ projection, position }) => {
    const missing = events.filter((event) => isAfter(event.position, position));
    return { projection, seconds: ageOf(missing[0]), events: missing.length };
  });
}

const ageOf = (event: StoredEvent | undefined) =>
  event ? Math.max(0, (Date.now() - Date.parse(event.envelope.recordedAt)) / 1000) : 0;
