import { ledgerEvents } from '@tallyhand/contracts/features/credits/credits.events';
import { ledgerModel } from '@tallyhand/read-models/features/credits/ledger.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import { sql } from 'kysely';
import { batchProjection, type Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';
import {
  type Difference,
  type Folded,
  foldLedgers,
  type Head,
  type UsageEntry,
} from './ledger-rows.ts';

/** The ledger as a statement, as balances and as double entry, checked after each batch. */
export const ledgerProjection = batchProjection({
  model: ledgerModel,
  kinds: ledgerEvents,
  async apply(tx, happened, { log }) {
    const touched = new Set(happened.map(({ event }) => event.data.organizationId));
    const heads = await readHeads(tx, touched);
    const folded = foldLedgers(happened, heads);
    const stored = happened.map(({ stored }) => stored);
    // Sent in this order without waiting: later statements see what earlier ones wrote.
    const [unbalanced, , sums] = await Promise.all([
      addEntries(tx, folded),
      addUsage(tx, folded.usage),
      readSums(tx, stored, touched),
    ]);
    const differences = [...folded.differences, ...unbalanced, ...sums.flatMap(differencesIn)];
    await keepDifferences(tx, log, differences, stored);
    return touched;
  },
});

async function readHeads(tx: Tx, organizationIds: ReadonlySet<string>) {
  const { rows } = await sql<{
    organization_id: string;
    sequence: string;
    available: string;
    hash: string;
  }>`
    select l.organization_id, l.sequence, l.available, l.hash
    from unnest(${[...organizationIds]}::uuid[]) o (id)
    cross join lateral (
      select * from read_model.ledger_entries e where e.organization_id = o.id
      order by e.sequence desc limit 1) l
  `.execute(tx);
  return new Map<string, Head>(
    rows.map(({ organization_id: id, sequence, available, hash }) => [
      id,
      { sequence: Number(sequence), available: Number(available), hash },
    ]),
  );
}

/** What the entries change in the balances of each organization. */
function balanceChanges({ entries }: Folded): Row<'credit_balances'>[] {
  const changes = new Map<string, { posted: number; reserved: number }>();
  for (const { organization_id: id, posted_change, reserved_change } of entries) {
    const { posted, reserved } = changes.get(id) ?? { posted: 0, reserved: 0 };
    changes.set(id, { posted: posted + posted_change, reserved: reserved + reserved_change });
  }
  return [...changes].map(([organization_id, change]) => ({ organization_id, ...change }));
}

/**
 * Writes the entries, their balances and their lines in one statement. Returns the entries whose
 * stored lines do not balance.
 */
async function addEntries(tx: Tx, folded: Folded): Promise<Difference[]> {
  const { rows } = await sql<{ organization_id: string; sequence: string; detail: string }>`
    with entries as (
      insert into read_model.ledger_entries
      select r.* from ${rowsOf('ledger_entries', folded.entries)}),
    balances as (
      insert into read_model.credit_balances as b
      select r.* from ${rowsOf('credit_balances', balanceChanges(folded))}
      on conflict (organization_id) do update set posted = b.posted + excluded.posted,
        reserved = b.reserved + excluded.reserved),
    lines as (
      insert into read_model.journal
      select r.* from ${rowsOf('journal', folded.journal)} returning *),
    sums as (
      insert into read_model.account_balances as b (organization_id, account, debits, credits)
      select organization_id, account, sum(debit), sum(credit) from lines
      group by organization_id, account
      on conflict (organization_id, account) do update set debits = b.debits + excluded.debits,
        credits = b.credits + excluded.credits)
    select organization_id, sequence,
      format('debits %s, credits %s', sum(debit), sum(credit)) as detail
    from lines group by organization_id, sequence having sum(debit) <> sum(credit)
  `.execute(tx);
  return rows.map(({ organization_id: organizationId, sequence, detail }) => ({
    organizationId,
    kind: 'entry',
    sequence: Number(sequence),
    detail,
  }));
}

/** Counts charges by day and by agent. A refund is subtracted from the day of its charge. */
async function addUsage(tx: Tx, usage: readonly UsageEntry[]): Promise<void> {
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
  await sql`
    with used as (select r.* from ${rowsOf('usage_daily', [...days.values()])}),
    totals as (
      insert into read_model.agent_usage as t (organization_id, agent_id, credits)
      select organization_id, agent_id, sum(credits) from used group by organization_id, agent_id
      on conflict (organization_id, agent_id) do update set credits = t.credits + excluded.credits)
    insert into read_model.usage_daily as u select * from used
    on conflict (organization_id, day, agent_id, member_id, work_type) do update set
      credits = u.credits + excluded.credits, count = u.count + excluded.count`.execute(tx);
}

/** The times of the charges that were refunded, by reservation. */
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

/** One in 4,096 event ids ends like this: such an event triggers a check of all ledgers. */
const ALL_LEDGERS_AT = /000$/;

/** The sums of one ledger: statement, balances and accounts. */
type LedgerSums = {
  readonly organizationId: string;
  readonly sequence: number;
  /** Spendable after the newest entry. */
  readonly stated: number;
  readonly posted: number;
  readonly reserved: number;
  readonly debits: number;
  readonly credits: number;
  /** The balances of the accounts of the same names. */
  readonly availableAccount: number;
  readonly reservedAccount: number;
};

/** The disagreements in the sums of one ledger. */
function differencesIn(sums: LedgerSums): Difference[] {
  const { organizationId, sequence, stated, posted, reserved, debits, credits } = sums;
  const agree = (kind: string, one: [string, number], other: [string, number]): Difference[] => {
    if (one[1] === other[1]) return [];
    const detail = `${one[0]} ${one[1]}, ${other[0]} ${other[1]}`;
    return [{ organizationId, kind, sequence, detail }];
  };
  const balance: [string, number] = ['balance', posted - reserved];
  return [
    ...agree('debits-and-credits', ['debits', debits], ['credits', credits]),
    ...agree('statement', ['newest entry', stated], balance),
    ...agree('available-account', ['account', sums.availableAccount], balance),
    ...agree('reserved-account', ['account', sums.reservedAccount], ['balance', reserved]),
  ];
}

/** The sums of the ledgers that a batch touched; occasionally those of all ledgers. */
async function readSums(
  tx: Tx,
  stored: readonly StoredEvent[],
  touched: ReadonlySet<string>,
): Promise<LedgerSums[]> {
  const of = stored.some(({ id }) => ALL_LEDGERS_AT.test(id)) ? null : [...touched];
  type Row = { readonly [K in Exclude<keyof LedgerSums, 'organizationId'>]: string };
  const { rows } = await sql<Row & { readonly organizationId: string }>`
    select o.id as "organizationId", coalesce(l.sequence, 0) as sequence,
      coalesce(l.available, 0) as stated,
      coalesce(b.posted, 0) as posted, coalesce(b.reserved, 0) as reserved,
      coalesce(a.debits, 0) as debits, coalesce(a.credits, 0) as credits,
      coalesce(a.available, 0) as "availableAccount", coalesce(a.reserved, 0) as "reservedAccount"
    from ${
      of
        ? sql`unnest(${of}::uuid[]) o (id)`
        : sql`(select organization_id as id from read_model.credit_balances
            union select organization_id from read_model.account_balances) o`
    }
    left join read_model.credit_balances b on b.organization_id = o.id
    left join lateral (
      select e.sequence, e.available from read_model.ledger_entries e
      where e.organization_id = o.id order by e.sequence desc limit 1) l on true
    left join lateral (
      select sum(c.debits) as debits, sum(c.credits) as credits,
        sum(c.credits - c.debits) filter (where c.account = 'available') as available,
        sum(c.credits - c.debits) filter (where c.account = 'reserved') as reserved
      from read_model.account_balances c where c.organization_id = o.id) a on true
  `.execute(tx);
  return rows.map(({ organizationId, ...row }) => {
    const numbers = Object.entries(row).map(([name, value]) => [name, Number(value)]);
    return { organizationId, ...Object.fromEntries(numbers) };
  });
}

/**
 * Nothing is repaired and nothing stops. The first difference of each kind in a ledger is logged,
 * counted, and kept until a rebuild.
 */
async function keepDifferences(
  tx: Tx,
  log: Log,
  found: readonly Difference[],
  stored: readonly StoredEvent[],
): Promise<void> {
  // A rebuild must produce the same rows, so the time comes from the events.
  const at = stored.at(-1)?.envelope.recordedAt;
  if (!at || found.length === 0) return;
  const rows = found.map(({ organizationId, ...rest }) => ({
    organization_id: organizationId,
    ...rest,
    found_at: at,
  }));
  const kept = await sql<{ organization_id: string; kind: string; sequence: string }>`
    insert into read_model.ledger_checks select r.* from ${rowsOf('ledger_checks', rows)}
    on conflict (organization_id, kind) do nothing returning organization_id, kind, sequence, detail
  `.execute(tx);
  if (kept.rows.length === 0) return;
  for (const row of kept.rows) log.error('the figures of a ledger disagree', row);
  await sql`insert into read_model.checks as c (projection, differences)
    values (${ledgerModel.name}, ${kept.rows.length})
    on conflict (projection) do update set differences = c.differences + excluded.differences
  `.execute(tx);
}
