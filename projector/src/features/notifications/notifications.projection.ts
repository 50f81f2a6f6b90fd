import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { NotificationsTable } from '@tallyhand/read-models/features/notifications/notifications.tables';
import { notificationsModel } from '@tallyhand/read-models/features/notifications/notifications.tables';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { sql } from 'kysely';
import { batchProjection, type Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';
import { type Balance, balanceAfter, levelCrossed, severityOf } from './low-credits.ts';

/** Low credits: one notice each time that the posted balance falls below one of the levels. */
export const notificationsProjection = batchProjection<LedgerEvent>({
  model: notificationsModel,
  kinds: ledgerEvents,
  async apply(tx, happened) {
    const touched = new Set(happened.map(({ event }) => event.data.organizationId));
    const balances = await readBalances(tx, touched);
    const notices: NotificationsTable[] = [];
    for (const { stored, event } of happened) {
      const { organizationId } = event.data;
      const before = balances.get(organizationId) ?? { posted: 0, reserved: 0 };
      const after = balanceAfter(before, event);
      balances.set(organizationId, after);
      const level = levelCrossed(before.posted, after.posted);
      if (level === null) continue;
      notices.push({
        notification_id: derivedId(stored.id, String(level)),
        organization_id: organizationId,
        kind: 'low-credits',
        severity: severityOf[level],
        params: { level, available: after.posted - after.reserved },
        object_kind: 'organization',
        object_id: organizationId,
        created_at: stored.envelope.recordedAt,
      });
    }
    await keepBalances(tx, balances);
    if (notices.length > 0) {
      await sql`insert into read_model.notifications
        select r.* from ${rowsOf('notifications', notices)}`.execute(tx);
    }
    return new Set(notices.map(({ organization_id }) => organization_id));
  },
});

async function readBalances(tx: Tx, organizationIds: ReadonlySet<string>) {
  const rows = await tx
    .selectFrom('notice_balances')
    .selectAll()
    .where('organization_id', 'in', [...organizationIds])
    .execute();
  return new Map<string, Balance>(
    rows.map(({ organization_id: id, posted, reserved }) => [
      id,
      // PostgreSQL's bigint arrives as text.
      { posted: Number(posted), reserved: Number(reserved) },
    ]),
  );
}

async function keepBalances(tx: Tx, balances: ReadonlyMap<string, Balance>) {
  const rows = [...balances].map(([organization_id, balance]) => ({ organization_id, ...balance }));
  await sql`insert into read_model.notice_balances
    select r.* from ${rowsOf('notice_balances', rows)}
    on conflict (organization_id) do update set posted = excluded.posted,
      reserved = excluded.reserved`.execute(tx);
}
