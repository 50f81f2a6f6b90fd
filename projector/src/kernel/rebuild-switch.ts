import { setTimeout as pause } from 'node:timers/promises';
import { NEXT_SCHEMA, SCHEMA } from '@tallyhand/read-models/kernel/schema';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import {
  formatPosition,
  type Position,
  parsePosition,
} from '@tallyhand/service-kit/event-store/position';
import { readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { sql } from 'kysely';
import { type Attempts, applyEvents, openTarget } from './apply-events.ts';
import { type Checkpoint, isAfter, lockCheckpoints } from './checkpoints.ts';
import { changesNotification } from './notify.ts';
import { helpersOf, type Projection, type ProjectorContext, type Tx } from './projection.ts';

/** Drops the next tables and their parked streams. */
export async function dropNext(tx: Tx, name: string) {
  await sql`select read_model.drop_next(${name})`.execute(tx);
  await sql`delete from read_model.parked_streams where projection = ${name} and is_next`.execute(
    tx,
  );
}

/** Applies events to the next tables and records their position. */
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

/** The maximum number of events that the next tables may be behind at the switch. */
const GAP_MAX = 1_000;
const SWITCH_TRIES_MAX = 20;
const SWITCH_PAUSE_MS = 50;
const LOCK_NOT_AVAILABLE = '55P03';

/** Compares the next tables with those in use, and replaces them. */
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

/** Creates the indexes once, when nearly all rows exist. */
async function makeIndexes(tx: Tx, name: string) {
  const { rows } = await sql`
    update read_model.rebuilds set is_indexed = true, updated_at = now()
    where projection = ${name} and state = 'building' and not is_indexed returning projection
  `.execute(tx);
  if (rows.length > 0) await sql`select read_model.index_next(${name})`.execute(tx);
}

type Verdict = Comparison & {
  /** The same code wrote both, and nothing was parked. */
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
    // The first statement takes the snapshot, while both are at one position.
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
 * Runs `work` while the live rows are locked and the next rows are at the same position. Null when
 * the next rows are too far behind, or the rebuild was cancelled.
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
      // On a separate connection, so that it is committed before the switch.
      await attempts.run((next, isolates) =>
        applyToNext(next, context, projection, { events, until: live.position, isolates }),
      );
    }
    return work(tx, live);
  });
}

/** Waits only briefly for running reads, because later reads queue behind the lock. */
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
  // Shorter than PostgreSQL's deadlock timeout, so that no read becomes a deadlock victim.
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
  await changesNotification(live.position, null).execute(tx);
}

type Comparison = {
  readonly isEqual: boolean;
  /** The number of rows in each table. */
  readonly detail: string;
};

type Summary = { readonly rows: string; readonly hash: string };

/** Compares all rows of each table with those of its next table, in any order. */
async function compareTables(tx: Tx, tables: readonly string[]): Promise<Comparison> {
  let isEqual = true;
  const details: string[] = [];
  for (const table of tables) {
    const old = await summaryOf(tx, SCHEMA, table);
    const next = await summaryOf(tx, NEXT_SCHEMA, table);
    if (old.rows === next.rows && old.hash === next.hash) {
      details.push(`${table}: ${next.rows} rows, equal`);
      continue;
    }
    isEqual = false;
    details.push(`${table}: ${next.rows} rows, different from the ${old.rows} before`);
  }
  return { isEqual, detail: details.join('; ') };
}

async function summaryOf(tx: Tx, schema: string, table: string): Promise<Summary> {
  const { rows } = await sql<Summary>`
    select count(*) as rows, concat(sum(hashtextextended(row, 0)), ' ',
      sum(hashtextextended(row, 1))) as hash
    -- Without the offset each row would be made text twice.
    from (select t::text as row from ${sql.id(schema, table)} t offset 0) t
  `.execute(tx);
  const [summary] = rows;
  if (!summary) throw new Error(`Table ${table} was not read`);
  return summary;
}
