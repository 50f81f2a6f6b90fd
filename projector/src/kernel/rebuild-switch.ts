import { setTimeout as pause } from 'node:timers/promises';
import { parsePosition } from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { sql } from 'kysely';
import type { Attempts } from './apply-events.ts';
import { type Checkpoint, isAfter, lockCheckpoints } from './checkpoints.ts';
import { applyToNext, dropNext } from './next-tables.ts';
import { changesNotice } from './notify.ts';
import type { Projection, Tx } from './projection.ts';
import type { ProjectorContext } from './surroundings.ts';
import { type Comparison, compareTables } from './table-hashes.ts';

/** How many events the rows that are read may be ahead when the switch is tried. */
const GAP_MAX = 1_000;
const SWITCH_TRIES_MAX = 20;
const SWITCH_PAUSE_MS = 50;
const LOCK_NOT_AVAILABLE = '55P03';

/** Compares what was built with what is read, and puts it in its place. */
export async function finishRebuild(
  context: ProjectorContext,
  attempts: Attempts,
  projection: Projection,
): Promise<void> {
  const { name } = projection.model;
  await context.transact((tx) => makeIndexes(tx, name));
  const comparison = await compare(context, attempts, projection);
  if (!comparison) return;
  const { isEqual, isExpectedEqual, detail } = comparison;
  if (!isEqual && isExpectedEqual && !(await acceptsDifferences(context, name))) {
    await context.transact(async (tx) => {
      await dropNext(tx, name);
      await sql`update read_model.rebuilds
        set state = 'different', detail = ${detail}, updated_at = now()
        where projection = ${name}`.execute(tx);
    });
    context.log.error('rebuilt rows differ from the live rows', { name, detail });
    return;
  }
  await switchOver(context, attempts, projection, detail);
}

/** Once, when nearly all rows are there: kept up to date from then on. */
async function makeIndexes(tx: Tx, name: string) {
  const { rows } = await sql`
    update read_model.rebuilds set is_indexed = true, updated_at = now()
    where projection = ${name} and state = 'building' and not is_indexed returning projection
  `.execute(tx);
  if (rows.length > 0) await sql`select read_model.index_next(${name})`.execute(tx);
}

type Verdict = Comparison & {
  /** The same code made both, and nothing was parked. */
  readonly isExpectedEqual: boolean;
};

async function compare(
  context: ProjectorContext,
  attempts: Attempts,
  projection: Projection,
): Promise<Verdict | null> {
  const { name, version, tables } = projection.model;
  const held = await atOnePosition(context, attempts, projection, async (_, live) => {
    const snapshot = await context.db
      .startTransaction()
      .setIsolationLevel('repeatable read')
      .execute();
    // The first statement takes the snapshot, while both stand at one position.
    const { rows } = await sql<{ is_special: boolean }>`
      select m.is_outdated or exists (select from read_model.parked_streams p
        where p.projection = m.name and not p.is_next) as is_special
      from read_model.models m where m.name = ${name}
    `.execute(snapshot);
    return { snapshot, isExpectedEqual: live.version === version && !rows[0]?.is_special };
  });
  if (!held) return null;
  const { snapshot, isExpectedEqual } = held;
  try {
    return { ...(await compareTables(snapshot, Object.keys(tables))), isExpectedEqual };
  } finally {
    await snapshot.rollback().execute();
  }
}

async function acceptsDifferences({ db }: ProjectorContext, name: string): Promise<boolean> {
  const { rows } = await sql<{ accepts: boolean }>`
    select accepts_differences as accepts from read_model.rebuilds where projection = ${name}
  `.execute(db);
  return rows[0]?.accepts === true;
}

/**
 * Does `work` while the rows that are read stand still and the next ones hold the same events; null
 * when the next ones are too far behind, or no longer wanted.
 */
async function atOnePosition<T>(
  context: ProjectorContext,
  attempts: Attempts,
  projection: Projection,
  work: (tx: Tx, live: Checkpoint) => Promise<T>,
): Promise<T | null> {
  const { name } = projection.model;
  return context.transact(async (tx) => {
    const live = (await lockCheckpoints(tx)).get(name);
    const { rows } = await sql<{ position: string }>`
      select position from read_model.rebuilds where projection = ${name} and state = 'building'
    `.execute(tx);
    const position = parsePosition(rows[0]?.position ?? '');
    if (!live || !position) return null;
    if (isAfter(live.position, position)) {
      const page = await readAllAfter(context.eventLog, position, GAP_MAX);
      if (!page.isLast && isAfter(live.position, page.position)) return null;
      const events = page.events.filter((event) => !isAfter(event.position, live.position));
      // On a connection of its own: seen by all before the tables change places.
      await attempts.run((next, isolates) =>
        applyToNext(next, context, projection, { events, until: live.position, isolates }),
      );
    }
    return work(tx, live);
  });
}

/** Reads that are under way are waited for a moment only: they would hold up all that come later. */
async function switchOver(
  context: ProjectorContext,
  attempts: Attempts,
  projection: Projection,
  detail: string,
): Promise<void> {
  for (let attempt = 1; attempt <= SWITCH_TRIES_MAX; attempt += 1) {
    try {
      await atOnePosition(context, attempts, projection, (tx, live) =>
        putInPlace(tx, projection, live, detail),
      );
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await pause(SWITCH_PAUSE_MS * attempt);
    }
  }
}

async function putInPlace(
  tx: Tx,
  { model: { name, version } }: Projection,
  live: Checkpoint,
  detail: string,
) {
  // Shorter than PostgreSQL waits before it looks for a deadlock, so that no read is its victim.
  await sql`set local lock_timeout = '300ms'`.execute(tx);
  await sql`select read_model.switch_to_next(${name})`.execute(tx);
  await sql`
    update read_model.checkpoints c set version = ${version}, events = r.events_done
    from read_model.rebuilds r where r.projection = c.projection and c.projection = ${name}
  `.execute(tx);
  await sql`delete from read_model.parked_streams
    where projection = ${name} and not is_next`.execute(tx);
  await sql`update read_model.parked_streams set is_next = false
    where projection = ${name}`.execute(tx);
  await sql`update read_model.rebuilds set state = 'done', detail = ${detail}, updated_at = now()
    where projection = ${name}`.execute(tx);
  await changesNotice(live.position, null).execute(tx);
}
