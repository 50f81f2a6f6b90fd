import type {
  LedgerEntriesTable,
  UsageDailyTable,
} from '@tallyhand/read-models/features/credits/ledger.tables';
import { sql } from 'kysely';
import type { Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';

/** Counts charges by day; what is given back is taken off the day on which it was charged. */
export async function addUsage(tx: Tx, entries: readonly LedgerEntriesTable[]): Promise<void> {
  const counted = entries.filter(({ kind }) => kind === 'charged' || kind === 'refunded');
  if (counted.length === 0) return;
  const chargedAt = await momentsOfCharges(
    tx,
    counted.filter(({ kind }) => kind === 'refunded'),
  );
  const days = new Map<string, UsageDailyTable>();
  for (const entry of counted) {
    const { organization_id, agent_id, member_id, work_type } = entry;
    if (agent_id === null || work_type === null) continue;
    const isCharge = entry.kind === 'charged';
    const at = isCharge ? entry.at : (chargedAt.get(entry.reservation_id ?? '') ?? entry.at);
    const day = new Date(at).toISOString().slice(0, 10);
    const key = [organization_id, day, agent_id, member_id, work_type].join();
    const sign = isCharge ? 1 : -1;
    const { credits, count } = days.get(key) ?? { credits: 0, count: 0 };
    days.set(key, {
      ...{ organization_id, day, agent_id, member_id, work_type },
      credits: credits + sign * entry.amount,
      count: count + sign,
    });
  }
  await sql`insert into read_model.usage_daily as u
    select r.* from ${rowsOf('usage_daily', [...days.values()])}
    on conflict (organization_id, day, agent_id, member_id, work_type) do update set
      credits = u.credits + excluded.credits, count = u.count + excluded.count`.execute(tx);
}

/** When the reservations of these refunds were charged, by reservation. */
async function momentsOfCharges(tx: Tx, refunds: readonly LedgerEntriesTable[]) {
  if (refunds.length === 0) return new Map<string, string>();
  const { rows } = await sql<{ reservation_id: string; at: Date }>`
    select l.reservation_id, l.at
    from ${rowsOf('ledger_entries', refunds)}
    join read_model.ledger_entries l on l.work_id = r.work_id and l.kind = 'charged'
      and l.reservation_id = r.reservation_id and l.organization_id = r.organization_id
  `.execute(tx);
  return new Map(rows.map(({ reservation_id, at }) => [reservation_id, at.toISOString()]));
}
