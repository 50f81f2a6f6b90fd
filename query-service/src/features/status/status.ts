import type {
  CheckName,
  Health,
  Status,
} from '@tallyhand/contracts/features/status/status.endpoints';
import type pg from 'pg';

/** The projector's heartbeat comes every 2 s. */
const SILENT_SECONDS_MAX = 10;
const LAG_SECONDS_DEGRADED = 5;
const LAG_SECONDS_FAILING = 60;

/** If one of these fails, nothing is up to date; the others affect only a part of the product. */
const VITAL: ReadonlySet<CheckName> = new Set(['database', 'event-store', 'read-models']);

export type Figures = {
  readonly differences: number;
  readonly audit: AuditFigures;
  readonly projections: readonly ProjectionState[];
  readonly projector: ProjectorState;
};

/**
 * `figures` is null when the database does not answer. `isDiskLow` is null when data is stored on
 * other machines.
 */
export function statusOf(figures: Figures | null, isDiskLow: boolean | null = null): Status {
  const disk = isDiskLow === null ? {} : ({ disk: isDiskLow ? 'degraded' : 'ok' } as const);
  if (!figures) return summary({ database: 'failing', ...disk });
  const { differences, audit, projections, projector } = figures;
  const isSilent = projector.silentSeconds === null || projector.silentSeconds > SILENT_SECONDS_MAX;
  const isLedgerParked = projections.some((one) => one.projection === 'ledger' && one.parked > 0);
  return summary({
    database: 'ok',
    'event-store': projector.eventStoreError === null ? 'ok' : 'failing',
    'read-models': isSilent ? 'failing' : lagHealth(projections),
    events: projections.some(({ parked }) => parked > 0) ? 'degraded' : 'ok',
    ledger: differences > 0 || isLedgerParked ? 'failing' : 'ok',
    audit: audit.differences > 0 ? 'failing' : 'ok',
    ...disk,
  });
}

function lagHealth(projections: readonly ProjectionState[]): Health {
  const seconds = Math.max(0, ...projections.map(({ lagSeconds }) => lagSeconds));
  if (seconds > LAG_SECONDS_FAILING) return 'failing';
  return seconds > LAG_SECONDS_DEGRADED ? 'degraded' : 'ok';
}

function summary(health: Partial<Record<CheckName, Health>>): Status {
  const checks = Object.entries(health).map(([name, status]) => ({
    name: name as CheckName,
    status,
  }));
  const isFailing = checks.some(({ name, status }) => status === 'failing' && VITAL.has(name));
  const isWell = checks.every(({ status }) => status === 'ok');
  return { status: isFailing ? 'failing' : isWell ? 'ok' : 'degraded', checks };
}

/** A projection as of the projector's last heartbeat. */
export type ProjectionState = {
  readonly projection: string;
  readonly position: number;
  readonly lagSeconds: number;
  readonly lagEvents: number;
  readonly parked: number;
  readonly isRebuilding: boolean;
};

/** `silentSeconds` is the age of the last heartbeat; null when there was none. */
type ProjectorState = {
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

export type AuditFigures = {
  /** Audit logs that differ from the event store, or from what was signed. */
  readonly differences: number;
  /** Since the last comparison; null before the first. */
  readonly checkedSeconds: number | null;
  /** Since the newest time-stamp; null where there is none. */
  readonly stampedSeconds: number | null;
};

export async function auditFigures(pool: pg.Pool): Promise<AuditFigures> {
  const { rows } = await pool.query<AuditFigures>(
    `select differences::int, checked_seconds as "checkedSeconds",
       stamped_seconds as "stampedSeconds"
     from operational.audit_figures()`,
  );
  return rows[0] ?? { differences: 0, checkedSeconds: null, stampedSeconds: null };
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
