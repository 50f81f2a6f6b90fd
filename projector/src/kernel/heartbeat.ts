import { setTimeout as pause } from 'node:timers/promises';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Position, parsePosition, START } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { errorFields } from '@tallyhand/service-kit/log';
import { sql } from 'kysely';
import { earlier, isAfter } from './checkpoints.ts';
import type { ProjectorContext } from './projection.ts';

const BEAT_MS = 2_000;
const ANSWER_MS_MAX = 5_000;
/** A larger lag is reported as this many events. */
const BEHIND_MAX = 1_000;

type Lag = { readonly projection: string; readonly seconds: number; readonly events: number };

/** Reports periodically that the projector is alive, its event store errors and its lag. */
export function heartbeat(context: ProjectorContext): AsyncDisposable {
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
  try {
    await keepLags(context, await withinTime(stop, lagsOf(context, checkpoints)));
  } catch (error) {
    if (stop.aborted) return;
    fault = error instanceof Error ? error.message : String(error);
  }
  await sql`
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

async function keepLags({ db }: ProjectorContext, lags: readonly Lag[]) {
  await sql`
    insert into read_model.projection_lags
      select r.* from jsonb_populate_recordset(null::read_model.projection_lags,
        ${JSON.stringify(lags)}) r
    on conflict (projection) do update set seconds = excluded.seconds, events = excluded.events
  `.execute(db);
}
