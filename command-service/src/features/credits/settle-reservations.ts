import {
  CreditsCharged,
  CreditsReserved,
  ReservationReleased,
} from '@tallyhand/contracts/features/credits/credits.events';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';

const SWEPT_MAX = 100;

export type SweepTimes = {
  readonly everyMs: number;
  /** A call that reserves goes on at once; after this time it has died. */
  readonly graceMs: number;
};

const SWEEP_TIMES: SweepTimes = { everyMs: 5_000, graceMs: 60_000 };

export type OpenReservation = {
  readonly organizationId: string;
  readonly reservationId: string;
  readonly work: { readonly kind: string; readonly id: string };
};

/** Keeps the list of reservations without an end, from the ledgers' own events. */
export function trackReservations({ pool }: Kit): Reaction {
  const closed = async (reservationId: string) => {
    await pool.query('delete from operational.open_reservations where reservation_id = $1', [
      reservationId,
    ]);
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
    },
  };
}

/** Looks at open reservations again and again, and lets `settle` end those that were left behind. */
export function sweepReservations(
  { pool, log }: Kit,
  settle: (reservation: OpenReservation) => Promise<void>,
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
    }>(
      `select organization_id, reservation_id, work_kind, work_id
       from operational.open_reservations
       where reserved_at < now() - make_interval(secs => $1::float / 1000) order by reserved_at limit $2`,
      [graceMs, SWEPT_MAX],
    );
    for (const row of rows) {
      const { organization_id: organizationId, reservation_id: reservationId } = row;
      const work = { kind: row.work_kind, id: row.work_id };
      // One that can't be settled must not hold up the others.
      await settle({ organizationId, reservationId, work }).catch((error) =>
        log.error('a reservation was not settled', { reservationId, ...errorFields(error) }),
      );
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
