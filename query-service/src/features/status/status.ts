import type {
  CheckName,
  Health,
  Status,
} from '@tallyhand/contracts/features/status/status.endpoints';
import type { ProjectionState, ProjectorState } from './status.queries.ts';

/** The projector tells every 2 s that it lives. */
const SILENT_SECONDS_MAX = 10;
const LAG_SECONDS_DEGRADED = 5;
const LAG_SECONDS_FAILING = 60;

/** Without these nothing is up to date; the others leave most of the product as it should be. */
const VITAL: ReadonlySet<CheckName> = new Set(['database', 'event-store', 'read-models']);

export type Figures = {
  readonly differences: number;
  readonly projections: readonly ProjectionState[];
  readonly projector: ProjectorState;
};

/**
 * Null figures: the database does not answer, so of most others nothing is known. `isDiskLow` null:
 * what is stored lies on other machines.
 */
export function statusOf(figures: Figures | null, isDiskLow: boolean | null = null): Status {
  const disk = isDiskLow === null ? {} : ({ disk: isDiskLow ? 'degraded' : 'ok' } as const);
  if (!figures) return summary({ database: 'failing', ...disk });
  const { differences, projections, projector } = figures;
  const isSilent = projector.silentSeconds === null || projector.silentSeconds > SILENT_SECONDS_MAX;
  const isLedgerParked = projections.some((one) => one.projection === 'ledger' && one.parked > 0);
  return summary({
    database: 'ok',
    'event-store': projector.eventStoreError === null ? 'ok' : 'failing',
    'read-models': isSilent ? 'failing' : lagHealth(projections),
    events: projections.some(({ parked }) => parked > 0) ? 'degraded' : 'ok',
    ledger: differences > 0 || isLedgerParked ? 'failing' : 'ok',
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
