import {
  CreditsReserved,
  type LedgerEvent,
  ReservationExtended,
  Work,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { errorFields } from '@tallyhand/service-kit/log';
import { counter } from '@tallyhand/service-kit/metrics/counter';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';
import { recurring } from '../../kit/recurring.ts';

const SWEPT_MAX = 100;

const unsettled = counter({
  name: 'tallyhand_reservation_faults_total',
  help: 'Checks of open reservations that failed; each is repeated.',
  known: [{}],
});

export type SweepTimes = {
  readonly everyMs: number;
  /** A call uses its reservation at once; after this time it has died. */
  readonly graceMs: number;
};

const SWEEP_TIMES: SweepTimes = { everyMs: 5_000, graceMs: 30_000 };

export type OpenReservation = {
  readonly organizationId: string;
  readonly reservationId: string;
  readonly work: Work;
  readonly isExpired: boolean;
};

/** Maintains the list of open reservations from the ledgers' events. */
export function trackReservations({ pool }: Kit): Reaction {
  return {
    name: 'track-reservations',
    async handle(events) {
      const { opened, moved, closed } = reservationsIn(events);
      if (opened.size > 0) {
        await pool.query(
          `insert into operational.open_reservations
             (reservation_id, organization_id, work_kind, work_id, reserved_at, expires_at)
           select * from jsonb_to_recordset($1) r (reservation_id uuid, organization_id uuid,
             work_kind text, work_id uuid, reserved_at timestamptz, expires_at timestamptz)
           on conflict do nothing`,
          [JSON.stringify([...opened.values()])],
        );
      }
      if (moved.size > 0) {
        await pool.query(
          `update operational.open_reservations o set expires_at = m.expires_at
           from unnest($1::uuid[], $2::timestamptz[]) m (reservation_id, expires_at)
           where o.reservation_id = m.reservation_id`,
          [[...moved.keys()], [...moved.values()]],
        );
      }
      if (closed.length > 0) await close(pool, closed);
    },
  };
}

/** The net effect of some events; most reservations are closed soon after they are opened. */
function reservationsIn(events: readonly StoredEvent[]) {
  const opened = new Map<string, OpenRow>();
  const moved = new Map<string, string>();
  const closed: string[] = [];
  for (const { type, data, envelope } of events) {
    const effect = isOfLedger(type) ? EFFECT_OF[type] : 'none';
    if (effect === 'opens') {
      const reserved = CreditsReserved.read(data, envelope.schemaVersion);
      opened.set(reserved.reservationId, {
        reservation_id: reserved.reservationId,
        organization_id: reserved.organizationId,
        work_kind: reserved.work.kind,
        work_id: reserved.work.id,
        reserved_at: envelope.recordedAt,
        expires_at: reserved.expiresAt,
      });
    } else if (effect === 'closes') {
      const { reservationId } = Own.parse(data);
      opened.delete(reservationId);
      // Also if it was opened just before: events may be repeated, so its row may exist.
      closed.push(reservationId);
    } else if (effect === 'expires') {
      moved.set(Own.parse(data).reservationId, 'infinity');
    } else if (effect === 'extends') {
      const { reservationId, expiresAt } = ReservationExtended.read(data, envelope.schemaVersion);
      moved.set(reservationId, expiresAt);
    }
  }
  return { opened, moved, closed };
}

/** The effect of an event on the list. An expired reservation stays until its work has ended. */
const EFFECT_OF = {
  CreditsReserved: 'opens',
  ReservationExtended: 'extends',
  ReservationExpired: 'expires',
  CreditsCharged: 'closes',
  ReservationReleased: 'closes',
  UnbilledUsageRecorded: 'closes',
  CreditsRefunded: 'none',
  CreditsGranted: 'none',
  CreditsPurchased: 'none',
  PaymentReversed: 'none',
  PaymentReinstated: 'none',
  AdjustmentPosted: 'none',
  SpendLimitSet: 'none',
} as const satisfies Record<LedgerEvent['type'], string>;

const isOfLedger = (type: string): type is LedgerEvent['type'] => Object.hasOwn(EFFECT_OF, type);

const Own = ReservationExtended.schema.pick({ reservationId: true });

type OpenRow = {
  readonly reservation_id: string;
  readonly organization_id: string;
  readonly work_kind: string;
  readonly work_id: string;
  readonly reserved_at: string;
  readonly expires_at: string;
};

/**
 * Periodically lets `settle` end abandoned reservations. It returns whether the work of one has
 * ended.
 */
export function sweepReservations(
  { pool, log }: Kit,
  settle: (reservation: OpenReservation) => Promise<boolean>,
  { everyMs, graceMs }: SweepTimes = SWEEP_TIMES,
): AsyncDisposable {
  async function sweep() {
    const { rows } = await pool.query<{
      organization_id: string;
      reservation_id: string;
      work_kind: string;
      work_id: string;
      is_expired: boolean;
    }>(
      `update operational.open_reservations o set looked_at = now()
       from (select reservation_id from operational.open_reservations
         where reserved_at < now() - make_interval(secs => $1::float / 1000)
         order by looked_at nulls first, reserved_at limit $2) due
       where o.reservation_id = due.reservation_id
       returning o.organization_id, o.reservation_id, o.work_kind, o.work_id,
         o.expires_at < now() as is_expired`,
      [graceMs, SWEPT_MAX],
    );
    for (const { reservation_id: reservationId, ...row } of rows) {
      try {
        const isOver = await settle({
          organizationId: row.organization_id,
          reservationId,
          work: Work.parse({ kind: row.work_kind, id: row.work_id }),
          isExpired: row.is_expired,
        });
        if (isOver) await close(pool, [reservationId]);
      } catch (error) {
        // A failure must not delay the others.
        unsettled.add({});
        log.error('a reservation was not settled', { reservationId, ...errorFields(error) });
      }
    }
  }

  return recurring({ everyMs, failed: 'reservations were not swept', log }, sweep);
}

async function close(pool: pg.Pool, reservationIds: readonly string[]) {
  await pool.query('delete from operational.open_reservations where reservation_id = any($1)', [
    reservationIds,
  ]);
}
