import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import { ledgerModel } from '@tallyhand/read-models/features/credits/ledger.tables';
import { sql } from 'kysely';
import { batchProjection, type Tx } from '../../kernel/projection.ts';
import { rowsOf } from '../../kernel/rows.ts';
import { checkLedgers } from './ledger-checks.ts';
import { type Folded, foldLedgers, type Head } from './ledger-rows.ts';
import { addUsage } from './usage-rows.ts';

/** The ledger as a statement, as balances and as double entry, checked after each batch. */
export const ledgerProjection = batchProjection<LedgerEvent>({
  model: ledgerModel,
  kinds: ledgerEvents,
  async apply(tx, happened, { log }) {
    const touched = new Set(happened.map(({ event }) => event.data.organizationId));
    const heads = await readHeads(tx, touched);
    const folded = foldLedgers(happened, heads);
    await addEntries(tx, folded);
    await addBalances(tx, folded);
    await addJournal(tx, folded);
    await addUsage(tx, folded.entries);
    await checkLedgers(tx, log, { stored: happened.map(({ stored }) => stored), touched, folded });
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

const addEntries = (tx: Tx, { entries }: Folded) =>
  sql`insert into read_model.ledger_entries
    select r.* from ${rowsOf('ledger_entries', entries)}`.execute(tx);

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

const addJournal = (tx: Tx, { journal }: Folded) =>
  sql`with lines as (
      insert into read_model.journal select r.* from ${rowsOf('journal', journal)} returning *)
    insert into read_model.account_balances as b (organization_id, account, debits, credits)
    select organization_id, account, sum(debit), sum(credit) from lines
    group by organization_id, account
    on conflict (organization_id, account) do update set debits = b.debits + excluded.debits,
      credits = b.credits + excluded.credits`.execute(tx);
