import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type OperatorAnswer,
  type OperatorRequest,
  PROJECTOR_LOCK,
} from '@tallyhand/read-models/kernel/operating';
import type pg from 'pg';
import { OperatorError, parseCommand } from './command.ts';

const REBUILD_USAGE = `Rebuilds read models from the first event, while the product runs:
  npm run rebuild [-- NAME …] [--accept-differences]
      beside the live tables, which are replaced if all rows are equal
  npm run rebuild -- --status      shows the progress
  npm run rebuild -- --cancel [NAME …]      keeps the live tables`;

const PROGRESS_MS = 1_000;

const options = {
  status: { type: 'boolean' },
  cancel: { type: 'boolean' },
  'accept-differences': { type: 'boolean' },
} as const;

export type Rebuild = {
  readonly projection: string;
  readonly state: 'waiting' | 'building' | 'done' | 'different' | 'cancelled';
  readonly done: number;
  readonly total: number;
  readonly seconds: number;
  readonly detail: string | null;
};

/** Reports progress line by line; false if the request failed. */
export async function runRebuildCommand(
  args: readonly string[],
  pool: pg.Pool,
  say: (line: string) => void,
): Promise<boolean> {
  const { positionals, values } = parseCommand(args, options, REBUILD_USAGE);
  const names = positionals.length > 0 ? positionals : null;
  if (values.status) {
    const rebuilds = await readRebuilds(pool, null);
    for (const rebuild of rebuilds) say(describeRebuild(rebuild));
    if (rebuilds.length === 0) say('There has been no rebuild.');
    return true;
  }
  if (!(await isProjectorActive(pool))) {
    throw new OperatorError('No projector is running. Start the product, then try again.');
  }
  const { isDone, message } = await askProjector(
    pool,
    values.cancel
      ? { kind: 'cancel-rebuild', projections: names }
      : {
          kind: 'rebuild',
          projections: names,
          acceptsDifferences: values['accept-differences'] === true,
        },
  );
  say(message);
  if (!isDone || values.cancel) return isDone;
  return follow(pool, names, say);
}

/** Waits until none is running; reports changes since the last check. */
async function follow(
  pool: pg.Pool,
  names: readonly string[] | null,
  say: (line: string) => void,
): Promise<boolean> {
  const said = new Map<string, string>();
  for (;;) {
    const rebuilds = await readRebuilds(pool, names);
    for (const rebuild of rebuilds) {
      const line = describeRebuild(rebuild);
      if (said.get(rebuild.projection) !== line) say(line);
      said.set(rebuild.projection, line);
    }
    const isOver = ({ state }: Rebuild) => state !== 'waiting' && state !== 'building';
    if (rebuilds.every(isOver)) return rebuilds.every(({ state }) => state === 'done');
    if (!(await isProjectorActive(pool))) {
      throw new OperatorError(
        'The projector has stopped. The rebuild continues when it starts again.',
      );
    }
    await pause(PROGRESS_MS);
  }
}

async function readRebuilds(pool: pg.Pool, names: readonly string[] | null): Promise<Rebuild[]> {
  const { rows } = await pool.query<Rebuild>(
    `select projection, state, events_done::float8 as done, events_total::float8 as total, detail,
       extract(epoch from updated_at - started_at)::float8 as seconds
     from read_model.rebuilds where $1::text[] is null or projection = any($1) order by projection`,
    [names],
  );
  return rows;
}

/** One line with progress, speed and remaining time. */
export function describeRebuild({ projection, state, done, total, seconds, detail }: Rebuild) {
  switch (state) {
    case 'waiting':
      return `${projection}: waits for its turn`;
    case 'building': {
      const rate = seconds > 0 ? done / seconds : 0;
      const left = rate > 0 ? `, about ${Math.ceil((total - done) / rate)} s left` : '';
      return `${projection}: ${done} of ${total} events, ${Math.round(rate)} events/s${left}`;
    }
    case 'done':
      return `${projection}: done, ${done} events in ${seconds.toFixed(1)} s. ${detail}`;
    case 'different':
      return (
        `${projection}: the rebuilt rows differ, so the live tables stay. ${detail}. ` +
        'Use --accept-differences to replace them.'
      );
    case 'cancelled':
      return `${projection}: cancelled`;
  }
}

const LOOK_MS = 100;
const ANSWER_MS_MAX = 60_000;

/** Whether a projector works on this database: it holds the lock of the active one. */
export async function isProjectorActive(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and granted and objid = $1 and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
    [PROJECTOR_LOCK],
  );
  return Boolean(rowCount);
}

/** Only the projector writes read models. It answers a request when it has begun or is done. */
export async function askProjector(
  pool: pg.Pool,
  request: OperatorRequest,
): Promise<OperatorAnswer> {
  const id = randomUUID();
  await pool.query(
    'insert into read_model.operator_requests (request_id, request) values ($1, $2)',
    [id, JSON.stringify(request)],
  );
  const deadline = performance.now() + ANSWER_MS_MAX;
  try {
    while (performance.now() < deadline) {
      const { rows } = await pool.query<{ answer: OperatorAnswer | null }>(
        'select answer from read_model.operator_requests where request_id = $1',
        [id],
      );
      if (rows[0]?.answer) return rows[0].answer;
      await pause(LOOK_MS);
    }
    throw new OperatorError('The projector does not answer. See its log.');
  } finally {
    await pool.query('delete from read_model.operator_requests where request_id = $1', [id]);
  }
}
