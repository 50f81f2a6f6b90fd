import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  comparePositions,
  formatPosition,
  type Position,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { type Page, readAllAfter } from '@tallyhand/service-kit/event-store/read-all';
import { sql } from 'kysely';
import type { Attempts } from './apply-events.ts';
import { earlier, isAfter, lockCheckpoints } from './checkpoints.ts';
import type { Projection, ProjectorContext, Tx } from './projection.ts';
import { applyToNext, dropNext, finishRebuild } from './rebuild-switch.ts';

/** Read models that are rebuilt in parallel, each on its own connection. */
const LANES = 2;

type Rebuild = { readonly projection: Projection; readonly position: Position };

/** Requests rebuilds of tables that are outdated or of another version. */
export async function askForOutdated(tx: Tx, projections: readonly Projection[]) {
  const checkpoints = await lockCheckpoints(tx);
  const { rows } = await sql<{ name: string }>`
    select name from read_model.models where is_outdated`.execute(tx);
  const outdated = new Set(rows.map(({ name }) => name));
  await dropLeftovers(tx, projections);
  for (const { model } of projections) {
    const version = checkpoints.get(model.name)?.version;
    if (version === model.version && !outdated.has(model.name)) continue;
    await askForRebuild(tx, model, false);
  }
}

/** Cancels rebuilds that another release began. */
async function dropLeftovers(tx: Tx, projections: readonly Projection[]) {
  const models = projections.map(({ model }) => model);
  const { rows } = await sql<{ projection: string }>`
    update read_model.rebuilds r set state = 'cancelled', updated_at = now()
    from unnest(${models.map(({ name }) => name)}::text[],
      ${models.map(({ version }) => version)}::int[]) known (name, version)
    where r.projection = known.name and r.state in ('waiting', 'building')
      and r.version <> known.version
    returning r.projection
  `.execute(tx);
  for (const { projection } of rows) await dropNext(tx, projection);
}

/** A running rebuild continues. */
export async function askForRebuild(
  tx: Tx,
  { name, version }: Projection['model'],
  acceptsDifferences: boolean,
) {
  await sql`
    insert into read_model.rebuilds as r (projection, version, state, accepts_differences, position)
    values (${name}, ${version}, 'waiting', ${acceptsDifferences}, ${formatPosition(START)})
    on conflict (projection) do update set version = excluded.version, state = 'waiting',
      accepts_differences = excluded.accepts_differences, position = excluded.position,
      events_done = 0, events_total = 0, is_indexed = false, detail = null,
      requested_at = now(), started_at = null, updated_at = now()
    where r.state not in ('waiting', 'building')
  `.execute(tx);
}

/** The tables in use stay as they are. Returns the projections whose rebuild was cancelled. */
export async function cancelRebuilds(tx: Tx, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ projection: string }>`
    update read_model.rebuilds set state = 'cancelled', updated_at = now()
    where projection = any(${names}::text[]) and state in ('waiting', 'building')
    returning projection
  `.execute(tx);
  for (const { projection } of rows) await dropNext(tx, projection);
  return rows.map(({ projection }) => projection);
}

/**
 * Advances all rebuilds by one page of events, read once; switches to those that have caught up.
 * False when nothing is left to do.
 */
export async function advanceRebuilds(
  context: ProjectorContext,
  attempts: Attempts,
  pages: PagesAhead,
): Promise<boolean> {
  await context.transact((tx) => beginWaiting(tx, context));
  const rebuilds = await underWay(context);
  const first = rebuilds[0];
  if (!first) return false;
  const from = rebuilds.map(({ position }) => position).reduce(earlier, first.position);
  const page = await pages.after(from);
  const limits = await limitsOf(context);
  const moved = await sideBySide(rebuilds, LANES, (rebuild) =>
    applyPage(context, attempts, { ...rebuild, limit: limits.get(nameOf(rebuild)) ?? START }, page),
  );
  if (!page.isLast) return moved.includes(true);
  await sideBySide(rebuilds, LANES, ({ projection }) =>
    finishRebuild(context, attempts, projection),
  );
  return false;
}

const nameOf = ({ projection }: Rebuild) => projection.model.name;

async function beginWaiting(tx: Tx, { projections }: ProjectorContext) {
  const { rows } = await sql<{ projection: string; version: number }>`
    select projection, version from read_model.rebuilds where state = 'waiting' for update
  `.execute(tx);
  for (const { projection, version } of rows) {
    const known = projections.find(({ model }) => model.name === projection);
    if (known?.model.version !== version) continue;
    await dropNext(tx, projection);
    await sql`select read_model.make_next(${projection})`.execute(tx);
    await sql`
      update read_model.rebuilds r set state = 'building', started_at = now(), updated_at = now(),
        events_total = (select c.events from read_model.checkpoints c
          where c.projection = r.projection)
      where projection = ${projection}
    `.execute(tx);
  }
}

async function underWay({ db, projections }: ProjectorContext): Promise<Rebuild[]> {
  const { rows } = await sql<{ projection: string; position: string }>`
    select projection, position from read_model.rebuilds
    where state = 'building' order by projection
  `.execute(db);
  return rows.flatMap(({ projection: name, position }) => {
    const projection = projections.find(({ model }) => model.name === name);
    return projection ? [{ projection, position: parsePosition(position) ?? START }] : [];
  });
}

/** The positions of the live rows. */
async function limitsOf({ db }: ProjectorContext): Promise<ReadonlyMap<string, Position>> {
  const { rows } = await sql<{ projection: string; position: string }>`
    select projection, position from read_model.checkpoints`.execute(db);
  return new Map(rows.map((row) => [row.projection, parsePosition(row.position) ?? START]));
}

/** Never beyond the live rows: both are compared at one position. */
async function applyPage(
  context: ProjectorContext,
  attempts: Attempts,
  { projection, position, limit }: Rebuild & { readonly limit: Position },
  page: Page,
): Promise<boolean> {
  const until = earlier(limit, page.position);
  if (!isAfter(until, position)) return false;
  const events = page.events.filter(
    (event) => isAfter(event.position, position) && !isAfter(event.position, limit),
  );
  await attempts.run((tx, isolates) =>
    applyToNext(tx, context, projection, { events, until, isolates }),
  );
  return true;
}

/** Runs `work` on the items in order, `lanes` at a time, and waits for all of them. */
async function sideBySide<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const waiting = [...items.entries()];
  const results: R[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, item] = next;
      results[at] = await work(item);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return results;
}

/** Pages of all events. The next page is read while the last one is processed. */
type PagesAhead = AsyncDisposable & { after(position: Position): Promise<Page> };

export function pagesAhead(eventLog: EventLog, length: number): PagesAhead {
  let ahead: { readonly from: Position; readonly page: Promise<Page> } | null = null;

  function read(from: Position) {
    const page = readAllAfter(eventLog, from, length);
    // The caller of `after` gets the error; a page that is never taken may fail.
    page.catch(() => {});
    return { from, page };
  }
  return {
    async after(position) {
      const known = ahead;
      ahead = null;
      const isKnown = known !== null && comparePositions(known.from, position) === 0;
      const page = await (isKnown ? known : read(position)).page;
      if (!page.isLast) ahead = read(page.position);
      return page;
    },
    // The event store's client can't be closed during a read.
    async [Symbol.asyncDispose]() {
      await ahead?.page.catch(() => {});
    },
  };
}
