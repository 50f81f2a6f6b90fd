import { ledgerEvents } from '@tallyhand/contracts/features/credits/credits.events';
import { ledgerModel } from '@tallyhand/read-models/features/credits/ledger.tables';
import { sql } from 'kysely';
import { batchProjection, type Tx } from '../../kernel/projection.ts';
import { addRows, rowsOf } from '../../kernel/rows.ts';
import { differencesIn, keepDifferences, readSums } from './ledger-checks.ts';
import { type Difference, type Folded, foldLedgers, type Head } from './ledger-rows.ts';
import { addUsage } from './usage-rows.ts';

/** The ledger as a statement, as balances and as double entry, checked after each batch. */
export const ledgerProjection = batchProjection({
  model: ledgerModel,
  kinds: ledgerEvents,
  async apply(tx, happened, { log }) {
    const touched = new Set(happened.map(({ event }) => event.data.organizationId));
    const heads = await readHeads(tx, touched);
    const folded = foldLedgers(happened, heads);
    const stored = happened.map(({ stored }) => stored);
    // Sent in this order, without waiting: what comes later sees what those before it wrote.
    const [, , unbalanced, , sums] = await Promise.all([
      addRows(tx, 'ledger_entries', folded.entries),
      addBalances(tx, folded),
      addJournal(tx, folded),
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

async function addBalances(tx: Tx, { entries }: Folded) {
  const changes = new Map<string, { posted: number; reserved: number }>();
  for (const { organization_id: id, posted_change, reserved_change } of entries) {
    const { posted, reserved } = changes.get(id) ?? { posted: 0, reserved: 0 };
    changes.set(id, { posted: posted + posted_change, reserved: reserved + reserved_change });
  }
  const rows = [...changes].map(([organization_id, change]) => ({ organization_id, ...change }));
  await sql`insert into read_model.credit_balances as b
    select r.* from ${rowsOf('credit_balances', rows)}
    on conflict (organization_id) do update set posted = b.posted + excluded.posted,
      reserved = b.reserved + excluded.reserved`.execute(tx);
}

/** Gives the events whose lines do not balance, as they are stored. */
async function addJournal(tx: Tx, { journal }: Folded): Promise<Difference[]> {
  const { rows } = await sql<{ organization_id: string; sequence: string; detail: string }>`
    with lines as (
      insert into read_model.journal select r.* from ${rowsOf('journal', journal)} returning *),
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
