import { readModel, readPage } from '../../kernel/read-model.ts';

/** What an organization can spend now is `posted - reserved`. */
export const creditBalancesModel = readModel({
  name: 'credit-balances',
  feature: 'credits',
  version: 1,
  tables: {
    credit_balances: `
      organization_id uuid primary key,
      posted bigint not null,
      reserved bigint not null`,
  },
});

export type CreditBalancesTable = {
  organization_id: string;
  posted: number;
  reserved: number;
};

export const ledgerEntriesModel = readModel({
  name: 'ledger-entries',
  feature: 'credits',
  version: 1,
  tables: {
    ledger_entries: `
      organization_id uuid not null,
      sequence bigint not null,
      entry_id uuid not null,
      kind text not null,
      available_change bigint not null,
      posted_change bigint not null,
      available bigint not null,
      amount bigint not null,
      price bigint,
      reason text,
      reservation_id uuid,
      work_kind text,
      work_id uuid,
      agent_id uuid,
      member_id uuid,
      prev text not null,
      hash text not null,
      at timestamptz not null,
      primary key (organization_id, sequence)`,
  },
  indexes: [
    'create index on read_model.ledger_entries (reservation_id, kind)',
    'create index on read_model.ledger_entries (organization_id, at desc, entry_id desc)',
  ],
});

export type LedgerEntriesTable = {
  organization_id: string;
  sequence: number;
  entry_id: string;
  kind: string;
  available_change: number;
  posted_change: number;
  available: number;
  amount: number;
  price: number | null;
  reason: string | null;
  reservation_id: string | null;
  work_kind: string | null;
  work_id: string | null;
  agent_id: string | null;
  member_id: string | null;
  prev: string;
  hash: string;
  at: string;
};

export const readLedgerEntries = {
  ...readPage('ledger_entries', ''),
  sql: `select sequence, kind, available_change as "availableChange",
      posted_change as "postedChange", available, amount, reason,
      reservation_id as "reservationId",
      case when work_id is null then null
        else json_build_object('kind', work_kind, 'id', work_id) end as work,
      agent_id as "agentId", member_id as "memberId", hash, prev, at,
      at as "createdAt", entry_id as id
    from read_model.ledger_entries
    where organization_id = me.organization_id
      and (p_cursor_at is null or sequence < (select l.sequence from read_model.ledger_entries l
        where l.organization_id = me.organization_id and l.entry_id = p_cursor_id))
    order by sequence desc limit p_limit`,
};
