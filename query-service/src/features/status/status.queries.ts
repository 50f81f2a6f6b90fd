import type pg from 'pg';

/** A projection as the projector left it when it last told. */
export type ProjectionState = {
  readonly projection: string;
  readonly position: number;
  readonly lagSeconds: number;
  readonly lagEvents: number;
  readonly parked: number;
  readonly isRebuilding: boolean;
};

/** `silentSeconds`: since the projector was last heard of; null when it never was. */
export type ProjectorState = {
  readonly silentSeconds: number | null;
  readonly eventStoreError: string | null;
};

export type QueueState = {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly oldestSeconds: number;
};

export async function ledgerDifferences(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ differences: string }>(
    `select differences from read_model.check_differences() where projection = 'ledger'`,
  );
  return Number(rows[0]?.differences ?? 0);
}

export async function projectionStates(pool: pg.Pool): Promise<ProjectionState[]> {
  const { rows } = await pool.query<ProjectionState>(
    `select projection, commit_position::float8 as position, lag_seconds as "lagSeconds",
       lag_events::int as "lagEvents", parked::int as parked,
       coalesce(rebuild in ('waiting', 'building'), false) as "isRebuilding"
     from read_model.projection_states() order by projection`,
  );
  return rows;
}

export async function projectorState(pool: pg.Pool): Promise<ProjectorState> {
  const { rows } = await pool.query<ProjectorState>(
    `select silent_seconds as "silentSeconds", event_store_error as "eventStoreError"
     from read_model.projector_state()`,
  );
  return rows[0] ?? { silentSeconds: null, eventStoreError: null };
}

export async function queueStates(pool: pg.Pool): Promise<QueueState[]> {
  const { rows } = await pool.query<QueueState>(
    `select queue, waiting::int as waiting, active::int as active,
       oldest_seconds as "oldestSeconds"
     from operational.job_queues() where queue not like '\\_\\_pgboss%' order by queue`,
  );
  return rows;
}
