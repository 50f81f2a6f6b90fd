import { ledgerModel } from '@tallyhand/read-models/features/credits/ledger.tables';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import { sql } from 'kysely';
import type { Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';
import type { Difference } from './ledger-rows.ts';

/** Of so many events one has an id with this end: at it all ledgers are checked, not only its own. */
const ALL_LEDGERS_AT = /000$/;

/** One ledger by its statement, its balances and its accounts. */
export type LedgerSums = {
  readonly organizationId: string;
  readonly sequence: number;
  /** What could be spent after the newest entry. */
  readonly stated: number;
  readonly posted: number;
  readonly reserved: number;
  readonly debits: number;
  readonly credits: number;
  /** What the accounts of the same names come to. */
  readonly availableAccount: number;
  readonly reservedAccount: number;
};

/** What does not agree in the sums of one ledger. */
export function differencesIn(sums: LedgerSums): Difference[] {
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

/** The sums of the ledgers that a batch has touched; now and then those of all. */
export async function readSums(
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
 * Nothing is repaired and nothing stops: the first difference of its kind in a ledger is reported
 * once, counted, and stored until the tables are rebuilt.
 */
export async function keepDifferences(
  tx: Tx,
  log: Log,
  found: readonly Difference[],
  stored: readonly StoredEvent[],
): Promise<void> {
  // A check reads no clock: a rebuild gives the same rows.
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
