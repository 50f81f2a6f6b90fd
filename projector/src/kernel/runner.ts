import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { ReadModelTables } from '@tallyhand/read-models/database';
import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { EventLog, StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { followAll } from '@tallyhand/service-kit/event-store/follow-all';
import {
  comparePositions,
  formatPosition,
  type Position,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import type { Log } from '@tallyhand/service-kit/log';
import {
  type Change,
  type ChangeNotice,
  READ_MODELS_CHANNEL,
} from '@tallyhand/service-kit/postgres/read-position';
import { type Kysely, sql } from 'kysely';
import type { Helpers, Projection, Tx } from './projection.ts';

const BATCH_MAX = 500;
/** A notification holds at most 8,000 bytes. */
const NOTICE_BYTES_MAX = 7_000;

export type ProjectionRunnerOptions = {
  readonly db: Kysely<ReadModelTables>;
  readonly eventLog: EventLog;
  readonly personKeys: PersonKeys;
  readonly log: Log;
  readonly projections: readonly Projection[];
};

type Checkpoints = Map<string, Position>;

/** Follows the event store and keeps the read models up to date until it is disposed of. */
export function runProjections(options: ProjectionRunnerOptions): AsyncDisposable {
  const { db, eventLog, log, projections } = options;
  return followAll({
    eventLog,
    log,
    name: 'projections',
    batchMax: BATCH_MAX,
    from: async () => {
      await db.transaction().execute((tx) => emptyOutdated(tx, projections));
      const checkpoints = await db.transaction().execute((tx) => lockCheckpoints(tx, projections));
      return [...checkpoints.values()].reduce((a, b) => (comparePositions(a, b) < 0 ? a : b));
    },
    handle: (events) => db.transaction().execute((tx) => applyBatch(tx, options, events)),
  });
}

/** A projection of another version than its rows starts again from the first event. */
async function emptyOutdated(tx: Tx, projections: readonly Projection[]) {
  for (const { model } of projections) {
    const { rows } = await sql<{ version: number }>`
      select version from read_model.checkpoints where projection = ${model.name} for update
    `.execute(tx);
    if (rows[0]?.version === model.version) continue;
    for (const table of Object.keys(model.tables)) {
      await sql`delete from read_model.${sql.ref(table)}`.execute(tx);
    }
    await sql`delete from read_model.checks where projection = ${model.name}`.execute(tx);
    await sql`
      insert into read_model.checkpoints
        (projection, version, position, commit_position, prepare_position)
      values (${model.name}, ${model.version}, ${formatPosition(START)}, 0, 0)
      on conflict (projection) do update set version = excluded.version,
        position = excluded.position, commit_position = 0, prepare_position = 0
    `.execute(tx);
  }
}

/** Read under lock, so that rows and checkpoint can only move together. */
async function lockCheckpoints(tx: Tx, projections: readonly Projection[]): Promise<Checkpoints> {
  const { rows } = await sql<{ projection: string; position: string }>`
    select projection, position from read_model.checkpoints order by projection for update
  `.execute(tx);
  const known = new Map(rows.map((row) => [row.projection, parsePosition(row.position) ?? START]));
  return new Map(projections.map(({ model }) => [model.name, known.get(model.name) ?? START]));
}

async function applyBatch(
  tx: Tx,
  options: ProjectionRunnerOptions,
  events: readonly StoredEvent[],
): Promise<void> {
  const last = events.at(-1);
  if (!last) return;
  const checkpoints = await lockCheckpoints(tx, options.projections);
  const helpers = helpersOf(tx, options);
  const changed = new Map<string, Set<string>>();
  for (const { model, apply } of options.projections) {
    const checkpoint = checkpoints.get(model.name) ?? START;
    const fresh = events.filter(({ position }) => comparePositions(position, checkpoint) > 0);
    for (const organizationId of await apply(tx.withSchema('read_model') as Tx, fresh, helpers)) {
      const features = changed.get(organizationId) ?? new Set();
      changed.set(organizationId, features.add(model.feature));
    }
  }
  await moveCheckpoints(tx, last.position);
  const changes = [...changed].map(([organizationId, features]) => ({
    organizationId,
    features: [...features],
  }));
  await sql`select pg_notify(${READ_MODELS_CHANNEL}, ${notice(last.position, changes)})`.execute(
    tx,
  );
}

const helpersOf = (tx: Tx, { personKeys, log }: ProjectionRunnerOptions): Helpers => ({
  log,
  reveal: personKeys.reveal,
  textOf: (organizationId, text) => textOf(tx, organizationId, text),
});

async function textOf(tx: Tx, organizationId: string, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const { rows } = await sql<{ content: Buffer }>`
    select content from operational.blobs
    where organization_id = ${organizationId} and hash = ${text.hash}
  `.execute(tx);
  const content = rows[0]?.content;
  if (!content) throw new Error(`Blob ${text.hash} is missing`);
  return content.toString('utf8');
}

/** A projection that is still catching up is not moved back by the others' place. */
async function moveCheckpoints(tx: Tx, { commit, prepare }: Position) {
  await sql`
    update read_model.checkpoints set position = ${formatPosition({ commit, prepare })},
      commit_position = ${commit}, prepare_position = ${prepare}
    where (commit_position, prepare_position) < (${commit}::bigint, ${prepare}::bigint)
  `.execute(tx);
}

function notice(position: Position, changes: readonly Change[]): string {
  const whole: ChangeNotice = { position: formatPosition(position), changes };
  const text = JSON.stringify(whole);
  if (Buffer.byteLength(text) <= NOTICE_BYTES_MAX) return text;
  return JSON.stringify({ ...whole, changes: null } satisfies ChangeNotice);
}
