import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { type OpenReservation, sweepReservations } from './settle-reservations.ts';

let backends: TestKit;

beforeAll(async () => {
  backends = await openTestKit();
});
afterAll(() => backends[Symbol.asyncDispose]());

async function leftBehind(workKind: string) {
  const reservationId = newId();
  await backends.admin.query(
    `insert into operational.open_reservations
       (reservation_id, organization_id, work_kind, work_id, reserved_at, expires_at)
     values ($1, $2, $3, $1, now() - interval '1 hour', now())`,
    [reservationId, newId(), workKind],
  );
  return reservationId;
}

async function isOpen(reservationId: string): Promise<boolean> {
  const { rowCount } = await backends.admin.query(
    'select from operational.open_reservations where reservation_id = $1',
    [reservationId],
  );
  return rowCount === 1;
}

describe('reservations that were left behind', () => {
  it('are never settled as another kind of work when theirs is unknown', async () => {
    const unknown = await leftBehind('retired-kind');
    const known = [await leftBehind('task'), await leftBehind('step')];
    const settled: OpenReservation[] = [];
    const settle = async (reservation: OpenReservation) => settled.push(reservation) > 0;
    const times = { everyMs: 20, graceMs: 0 };
    await using _sweep = sweepReservations(backends.opened.kit, settle, times);
    for (const id of known) await expect.poll(() => isOpen(id)).toBe(false);
    const later = await leftBehind('task');
    await expect.poll(() => isOpen(later)).toBe(false);
    expect(await isOpen(unknown)).toBe(true);
    expect(settled.map(({ reservationId }) => reservationId)).not.toContain(unknown);
  });
});
