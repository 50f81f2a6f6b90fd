import type { Row } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import type { Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';
import type { UsageEntry } from './ledger-rows.ts';

/** Counts charges by day; what is given back is taken off the day on which it was charged. */
export async function addUsage(tx: Tx, usage: readonly UsageEntry[]): Promise<void> {
  if (usage.length === 0) return;
  const chargedAt = await momentsOfCharges(
    tx,
    usage.filter(({ change }) => change === 'given-back'),
  );
  const days = new Map<string, Row<'usage_daily'>>();
  for (const { organizationId, at, change, terms } of usage) {
    const isCharge = change === 'charged';
    const usedAt = isCharge ? at : (chargedAt.get(terms.reservationId) ?? at);
    const group = {
      organization_id: organizationId,
      day: new Date(usedAt).toISOString().slice(0, 10),
      agent_id: terms.agentId,
      member_id: terms.memberId,
      work_type: terms.workType,
    };
    const key = Object.values(group).join();
    const sign = isCharge ? 1 : -1;
    const { credits, count } = days.get(key) ?? { credits: 0, count: 0 };
    days.set(key, { ...group, credits: credits + sign * terms.amount, count: count + sign });
  }
  await sql`insert into read_model.usage_daily as u
    select r.* from ${rowsOf('usage_daily', [...days.values()])}
    on conflict (organization_id, day, agent_id, member_id, work_type) do update set
      credits = u.credits + excluded.credits, count = u.count + excluded.count`.execute(tx);
}

/** When the reservations of these refunds were charged, by reservation. */
async function momentsOfCharges(tx: Tx, refunds: readonly UsageEntry[]) {
  if (refunds.length === 0) return new Map<string, string>();
  const { rows } = await sql<{ reservation_id: string; at: Date }>`
    select l.reservation_id, l.at
    from unnest(${refunds.map(({ organizationId }) => organizationId)}::uuid[],
      ${refunds.map(({ terms }) => terms.work.id)}::uuid[],
      ${refunds.map(({ terms }) => terms.reservationId)}::uuid[])
      r (organization_id, work_id, reservation_id)
    join read_model.ledger_entries l on l.work_id = r.work_id and l.kind = 'charged'
      and l.reservation_id = r.reservation_id and l.organization_id = r.organization_id
  `.execute(tx);
  return new Map(rows.map(({ reservation_id, at }) => [reservation_id, at.toISOString()]));
}
