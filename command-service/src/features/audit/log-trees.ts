import { rowOfEvent } from '@tallyhand/service-kit/audit-bundle/event-row';
import { Frontier, type FrontierState } from '@tallyhand/service-kit/audit-bundle/merkle';
import { leafOf } from '@tallyhand/service-kit/audit-bundle/row';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Follower, followAll } from '@tallyhand/service-kit/event-store/follow-all';
import {
  comparePositions,
  formatPosition,
  type Position,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import { inTransaction } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { followedTo, keepFollowedTo } from '../../kit/followed-to.ts';

const BATCH_MAX = 1_000;
/** Each batch is one transaction. */
const GATHERING_MS = 200;
const CURSOR = 'audit-trees';
/** Two processes may both believe for a moment that they are the one at work. */
const TREES_LOCK = 7_261_947;

/** The tree of an organization's audit log, as computed from the event store. */
export type LogTree = {
  readonly frontier: FrontierState;
  /** Of the newest event in it. */
  readonly position: Position;
};

type TreeRow = {
  readonly organization_id: string;
  readonly frontier: FrontierState;
  readonly position: string;
};

/**
 * Keeps a tree of every audit log, until it is disposed of. Leaves come from the events in the order
 * of the store, never from the rows of a read model, so that rewritten rows don't match.
 */
export const growLogTrees = ({
  pool,
  streams,
  log,
}: Pick<Kit, 'pool' | 'streams' | 'log'>): Follower =>
  followAll({
    eventLog: streams.eventLog,
    log,
    name: CURSOR,
    batchMax: BATCH_MAX,
    gatherMs: GATHERING_MS,
    from: () => treesPosition(pool),
    handle: (events) => inTransaction(pool, (client) => grow(client, events)),
  });

/** Up to where the trees have the events of the store. */
export const treesPosition = (pool: pg.Pool): Promise<Position> => followedTo(pool, CURSOR);

type Growth = { tree: Frontier; position: Position; firstAt: string };

async function grow(client: pg.PoolClient, events: readonly StoredEvent[]): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [TREES_LOCK]);
  const known = await treesOf(client, organizationsOf(events));
  const grown = new Map<string, Growth>();
  for (const event of events) {
    const { organizationId } = event.envelope;
    if (organizationId === null) continue;
    const before = known.get(organizationId);
    // After a fault, events come again.
    if (before && comparePositions(event.position, before.position) <= 0) continue;
    const growth = grown.get(organizationId) ?? {
      tree: new Frontier(before?.frontier),
      position: event.position,
      firstAt: event.envelope.recordedAt,
    };
    growth.tree.append(leafOf(rowOfEvent(event, growth.tree.size + 1)));
    growth.position = event.position;
    grown.set(organizationId, growth);
  }
  await keep(client, grown);
  const last = events.at(-1);
  if (last) await keepFollowedTo(client, CURSOR, last.position);
}

const organizationsOf = (events: readonly StoredEvent[]) => [
  ...new Set(events.flatMap(({ envelope }) => envelope.organizationId ?? [])),
];

async function keep(client: pg.PoolClient, grown: ReadonlyMap<string, Growth>): Promise<void> {
  if (grown.size === 0) return;
  const rows = [...grown].map(([organizationId, { tree, position, firstAt }]) => ({
    organization_id: organizationId,
    size: tree.size,
    frontier: tree.state(),
    position: formatPosition(position),
    unsigned_since: firstAt,
  }));
  await client.query(
    `insert into operational.audit_trees as t
       select * from jsonb_to_recordset($1) as r(organization_id uuid, size bigint, frontier jsonb,
         position text, unsigned_since timestamptz)
     on conflict (organization_id) do update set size = excluded.size,
       frontier = excluded.frontier, position = excluded.position,
       unsigned_since = coalesce(t.unsigned_since, excluded.unsigned_since)`,
    [JSON.stringify(rows)],
  );
}

/** The trees of these organizations, or of all; an organization without events has none. */
export async function treesOf(
  db: pg.Pool | pg.PoolClient,
  organizationIds: readonly string[] | null,
): Promise<Map<string, LogTree>> {
  const { rows } = await db.query<TreeRow>(
    `select organization_id, frontier, position from operational.audit_trees
     where $1::uuid[] is null or organization_id = any($1::uuid[])`,
    [organizationIds],
  );
  return new Map(
    rows.map(({ organization_id, frontier, position }) => [
      organization_id,
      { frontier, position: parsePosition(position) ?? START },
    ]),
  );
}

/** The tree of one organization's log. */
export async function treeOf(pool: pg.Pool, organizationId: string): Promise<Frontier> {
  const trees = await treesOf(pool, [organizationId]);
  return new Frontier(trees.get(organizationId)?.frontier);
}
