import {
  CreditsCharged,
  CreditsReserved,
  ReservationExpired,
  ReservationExtended,
  ReservationReleased,
} from '@tallyhand/contracts/features/credits/credits.events';
import { errorFields } from '@tallyhand/service-kit/log';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';

const SWEPT_MAX = 100;

export type SweepTimes = {
  readonly everyMs: number;
  /** A call that reserves goes on at once; after this time it has died. */
  readonly graceMs: number;
};

const SWEEP_TIMES: SweepTimes = { everyMs: 5_000, graceMs: 30_000 };

export type OpenReservation = {
  readonly organizationId: string;
  readonly reservationId: string;
  readonly work: { readonly kind: string; readonly id: string };
  readonly isExpired: boolean;
};

/** Keeps the list of reservations without an end, from the ledgers' own events. */
export function trackReservations({ pool }: Kit): Reaction {
  const closed = (reservationId: string) => close(pool, reservationId);
  const moved = async (reservationId: string, expiresAt: string) => {
    await pool.query(
      'update operational.open_reservations set expires_at = $2 where reservation_id = $1',
      [reservationId, expiresAt],
    );
  };
  return {
    name: 'track-reservations',
    on: {
      CreditsReserved: async (event) => {
        const data = CreditsReserved.schema.parse(event.data);
        await pool.query(
          `insert into operational.open_reservations
             (reservation_id, organization_id, work_kind, work_id, reserved_at, expires_at)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
          [
            data.reservationId,
            data.organizationId,
            data.work.kind,
            data.work.id,
            event.envelope.recordedAt,
            data.expiresAt,
          ],
        );
      },
      CreditsCharged: ({ data }) => closed(CreditsCharged.schema.parse(data).reservationId),
      ReservationReleased: ({ data }) =>
        closed(ReservationReleased.schema.parse(data).reservationId),
      // Its work may still go on, and is looked after until it ends.
      ReservationExpired: ({ data }) =>
        moved(ReservationExpired.schema.parse(data).reservationId, 'infinity'),
      ReservationExtended: async ({ data }) => {
        const { reservationId, expiresAt } = ReservationExtended.schema.parse(data);
        await moved(reservationId, expiresAt);
      },
    },
  };
}

/**
 * Looks at open reservations again and again, and lets `settle` end those that were left behind. It
 * says whether their work is over.
 */
export function sweepReservations(
  { pool, log }: Kit,
  settle: (reservation: OpenReservation) => Promise<boolean>,
  { everyMs, graceMs }: SweepTimes = SWEEP_TIMES,
): AsyncDisposable {
  let closed = false;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

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
    for (const row of rows) {
      const { organization_id: organizationId, reservation_id: reservationId } = row;
      const work = { kind: row.work_kind, id: row.work_id };
      const reservation = { organizationId, reservationId, work, isExpired: row.is_expired };
      // One that can't be settled must not hold up the others.
      const isOver = await settle(reservation).catch((error) => {
        log.error('a reservation was not settled', { reservationId, ...errorFields(error) });
        return false;
      });
      if (isOver) await close(pool, reservationId);
    }
  }

  function next() {
    if (closed) return;
    timer = setTimeout(() => {
      running = sweep()
        .catch((error) => log.warn('reservations were not swept', errorFields(error)))
        .then(next);
    }, everyMs);
  }

  next();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function close(pool: pg.Pool, reservationId: string) {
  await pool.query('delete from operational.open_reservations where reservation_id = $1', [
    reservationId,
  ]);
}
