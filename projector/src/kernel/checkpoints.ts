import {
  comparePositions,
  formatPosition,
  type Position,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { sql } from 'kysely';
import type { Projection, Tx } from './projection.ts';

export type Checkpoint = {
  readonly position: Position;
  readonly version: number;
  /** The number of events up to this position. */
  readonly events: number;
};
export type Checkpoints = ReadonlyMap<string, Checkpoint>;

type Row = { projection: string; position: string; version: number; events: string };

/** Locks the checkpoints, so that rows and checkpoint can only move together. */
export async function lockCheckpoints(tx: Tx): Promise<Checkpoints> {
  const { rows } = await sql<Row>`
    select projection, position, version, events from read_model.checkpoints
    order by projection for update
  `.execute(tx);
  return new Map(
    rows.map(({ projection, position, version, events }) => [
      projection,
      { position: parsePosition(position) ?? START, version, events: Number(events) },
    ]),
  );
}

/** A projection without a checkpoint starts from the first event, on empty tables. */
export async function addCheckpoints(tx: Tx, projections: readonly Projection[]) {
  const known = await lockCheckpoints(tx);
  const added = projections.map(({ model }) => model).filter(({ name }) => !known.has(name));
  if (added.length === 0) return;
  const emptied = added
    .flatMap(({ tables }) => Object.keys(tables))
    .map(
      (table) => sql`${sql.ref(`emptied_${table}`)} as (delete from read_model.${sql.ref(table)})`,
    );
  const names = added.map(({ name }) => name);
  await sql`with ${sql.join(emptied)},
    checks as (delete from read_model.checks where projection = any(${names}::text[])),
    parked as (delete from read_model.parked_streams
      where projection = any(${names}::text[]) and not is_next)
    insert into read_model.checkpoints
      (projection, version, position, commit_position, prepare_position)
    select name, version, ${formatPosition(START)}, 0, 0
    from unnest(${names}::text[], ${added.map(({ version }) => version)}::int[]) a (name, version)
  `.execute(tx);
}

/** Never moves a checkpoint back. `fresh` is the number of events that each projection applied. */
export const checkpointsMove = (
  { commit, prepare }: Position,
  fresh: ReadonlyMap<string, number>,
) =>
  sql`
    update read_model.checkpoints c set position = ${formatPosition({ commit, prepare })},
      commit_position = ${commit}, prepare_position = ${prepare},
      events = c.events + coalesce((
        select f.events from unnest(${[...fresh.keys()]}::text[], ${[...fresh.values()]}::bigint[])
          f (projection, events) where f.projection = c.projection), 0)
    where (commit_position, prepare_position) < (${commit}::bigint, ${prepare}::bigint)
  `;

export const isAfter = (a: Position, b: Position) => comparePositions(a, b) > 0;

export const earlier = (a: Position, b: Position) => (comparePositions(a, b) < 0 ? a : b);
