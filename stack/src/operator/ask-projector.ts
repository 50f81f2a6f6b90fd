import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type OperatorAnswer,
  type OperatorRequest,
  PROJECTOR_LOCK,
} from '@tallyhand/read-models/kernel/operating';
import type pg from 'pg';
import { OperatorError } from './operator-error.ts';

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

/** Only the projector writes read models: it is asked, and answers when it has begun or is done. */
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
    throw new OperatorError('The projector does not answer. Its log says why.');
  } finally {
    await pool.query('delete from read_model.operator_requests where request_id = $1', [id]);
  }
}
