import { AdjustmentPosted } from '@tallyhand/contracts/features/credits/credits.events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { charged, granted } from '../../testing/ledger-history.ts';
import { openTestProjector, type TestProjector } from '../../testing/test-projector.ts';
import { notificationsProjection } from './notifications.projection.ts';

const projections = [notificationsProjection];

let test: TestProjector;
beforeAll(async () => {
  test = await openTestProjector();
});
afterAll(() => test[Symbol.asyncDispose]());

async function projected() {
  await using _running = test.project(projections);
  await test.caughtUp(projections);
}

type Row = {
  readonly notification_id: string;
  readonly severity: string;
  readonly params: { readonly level: number; readonly available: number };
};
const notificationsOf = (organizationId: string) =>
  test.rows<Row>('notifications', organizationId, 'created_at, notification_id');
const charge = (organizationId: string, amount: number) =>
  charged(organizationId, test.newOrganization(), amount);
const adjust = (organizationId: string, amount: number) =>
  AdjustmentPosted({
    organizationId,
    adjustmentId: test.newOrganization(),
    amount,
    reason: 'Goodwill',
    approver: 'Ada',
  });

describe('notifications of low credits', () => {
  it('come once for each crossing, and again after the balance has risen', async () => {
    const organizationId = test.newOrganization();
    const on = (day: number) => (event: ReturnType<typeof granted>) => ({
      event,
      at: `2026-11-${day}T08:00:00.000Z`,
    });
    await test.append(organizationId, [
      ...[granted(organizationId, 100), ...charge(organizationId, 1)].map(on(10)),
      ...[...charge(organizationId, 1), ...charge(organizationId, 60)].map(on(11)),
      ...[adjust(organizationId, 70), ...charge(organizationId, 108)].map(on(12)),
    ]);
    await projected();
    const notifications = await notificationsOf(organizationId);
    expect(notifications.map(({ severity, params }) => [severity, params])).toEqual([
      ['info', { level: 100, available: 99 }],
      ['warning', { level: 50, available: 38 }],
      ['critical', { level: 0, available: 0 }],
    ]);
    expect(notifications[0]).toMatchObject({
      kind: 'low-credits',
      object_kind: 'organization',
      object_id: organizationId,
    });
    await test.append(organizationId, [adjust(organizationId, 10), ...charge(organizationId, 1)]);
    await projected();
    const again = (await notificationsOf(organizationId)).slice(3).map(({ params }) => params);
    expect(again).toEqual([{ level: 10, available: 9 }]);
  });

  it('have the same ids after a rebuild', async () => {
    const organizationId = test.newOrganization();
    await test.append(organizationId, [
      granted(organizationId, 100),
      ...charge(organizationId, 95),
    ]);
    await projected();
    const before = await notificationsOf(organizationId);
    expect(before.map(({ params }) => params.level)).toEqual([10]);
    await test.admin.query('delete from read_model.checkpoints');
    await projected();
    expect(await notificationsOf(organizationId)).toEqual(before);
  });
});
