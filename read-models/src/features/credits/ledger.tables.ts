import type { Order } from '@tallyhand/contracts/kernel/lists';
import { nameOf } from '../../kernel/charges.ts';
import { bigint, date, orNull, text, textOf, timestamp, uuid } from '../../kernel/columns.ts';
import { inEachOrder, orElse, readMany, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/**
 * The accounts of the double entry. `available` and `reserved` are what we owe the customer: they
 * grow by credits and shrink by debits, as `usage` does, which is what the customer has had.
 * `promotion` and `payment-clearing` are where credits come from: they grow by debits.
 * `adjustments` goes either way. All debits together equal all credits.
 */
export const ACCOUNTS = [
  'available',
  'reserved',
  'usage',
  'promotion',
  'payment-clearing',
  'adjustments',
] as const;
export type Account = (typeof ACCOUNTS)[number];

/**
 * A ledger as a statement, as balances and as double entry. One model: its tables are compared with
 * each other after each batch, so they are always at the same event. What can be spent now is
 * `posted - reserved`.
 */
export const ledgerModel = readModel({
  name: 'ledger',
  feature: 'credits',
  version: 1,
  tables: {
    credit_balances: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        posted: bigint,
        reserved: bigint,
      },
    }),
    ledger_entries: table({
      key: ['organization_id', 'sequence'],
      columns: {
        organization_id: uuid,
        sequence: bigint,
        entry_id: uuid,
        kind: text,
        available_change: bigint,
        posted_change: bigint,
        available: bigint,
        amount: bigint,
        price: orNull(bigint),
        reason: orNull(text),
        approver: orNull(text),
        reservation_id: orNull(uuid),
        work_kind: orNull(text),
        work_id: orNull(uuid),
        work_type: orNull(text),
        agent_id: orNull(uuid),
        member_id: orNull(uuid),
        payment_id: orNull(uuid),
        prev: text,
        hash: text,
        at: timestamp,
      },
      indexes: [
        '(payment_id) where payment_id is not null',
        // A page begins after an entry that is known by its moment and its id.
        '(organization_id, at, entry_id)',
      ],
      writeIndexes: ['(work_id, kind) where work_id is not null'],
    }),
    /** A line of the double entry: one of `debit` and `credit` is 0. */
    journal: table({
      key: ['organization_id', 'sequence', 'account'],
      columns: {
        organization_id: uuid,
        sequence: bigint,
        account: textOf<Account>(),
        debit: bigint,
        credit: bigint,
      },
    }),
    account_balances: table({
      key: ['organization_id', 'account'],
      columns: {
        organization_id: uuid,
        account: textOf<Account>(),
        debits: bigint,
        credits: bigint,
      },
    }),
    /** Credits charged less those given back, by the day (UTC) of the charge. */
    usage_daily: table({
      unique: 'nulls not distinct (organization_id, day, agent_id, member_id, work_type)',
      columns: {
        organization_id: uuid,
        day: date,
        agent_id: uuid,
        member_id: orNull(uuid),
        work_type: text,
        credits: bigint,
        count: bigint,
      },
    }),
    /** Differences found in ledgers. Empty as long as all is well. */
    ledger_checks: table({
      key: ['organization_id', 'kind'],
      columns: {
        organization_id: uuid,
        kind: text,
        sequence: bigint,
        detail: text,
        found_at: timestamp,
      },
    }),
  },
});

const ENTRY = `l.entry_id as id, l.sequence, l.kind, l.available_change as "availableChange",
  l.posted_change as "postedChange", l.available, l.amount, l.reason, l.approver,
  l.reservation_id as "reservationId",
  case when l.work_id is null then null
    else json_build_object('kind', l.work_kind, 'id', l.work_id) end as work,
  (select c.session_id from read_model.session_steps c
    where c.step_id = l.work_id and l.work_kind = 'step') as "sessionId",
  l.work_type as "workType", l.agent_id as "agentId", l.member_id as "memberId",
  l.payment_id as "paymentId", l.prev, l.hash, l.at`;

const FIRST_OF = {
  newest: { direction: 'desc', isBeyond: '<', start: '9223372036854775807' },
  oldest: { direction: 'asc', isBeyond: '>', start: '0' },
} as const;

/** Paged along the key; `until`: the newest entry that there was then. */
const entries = (order: Order) => {
  const { direction, isBeyond, start } = FIRST_OF[order];
  return {
    as: 'l',
    at: 'sequence',
    id: 'entry_id',
    source: `select l.* from read_model.ledger_entries l
      where l.organization_id = me.organization_id
        and l.sequence <= ${orElse('p_until', '9223372036854775807')}
        and l.sequence ${isBeyond} case when p_cursor_at is null then ${start} else
          (select c.sequence from read_model.ledger_entries c
           where c.organization_id = me.organization_id
             and (c.at, c.entry_id) >= (p_cursor_at, p_cursor_id)
             and (c.at, c.entry_id) <= (p_cursor_at, p_cursor_id)
           order by c.at, c.entry_id limit 1) end
      order by l.sequence ${direction} limit p_limit`,
    select: `${ENTRY}, l.at as "createdAt"`,
  };
};

export const readLedgerEntries = inEachOrder((order, suffix) =>
  readPage(`ledger_entries${suffix}`, entries(order), { until: 'bigint' }, order),
);

/** Oldest first, with the names that agents and members have now. */
export const readNamedLedgerEntries = readPage(
  'named_ledger_entries',
  {
    ...entries('oldest'),
    select: `${ENTRY}, l.at as "createdAt", a.name as "agentName",
      ${nameOf('l.member_id')} as "memberName"`,
    joins: 'left join read_model.agents a on a.agent_id = l.agent_id and a.deleted_at is null',
  },
  { until: 'bigint' },
  'oldest',
);

const ALL_ACCOUNTS = `unnest(array[${ACCOUNTS.map((name) => `'${name}'`).join(', ')}])
  with ordinality n (account, place)`;

export const readTrialBalance = readMany(
  'trial_balance',
  {},
  `select n.account, coalesce(b.debits, 0) as debits, coalesce(b.credits, 0) as credits
    from ${ALL_ACCOUNTS}
    left join read_model.account_balances b
      on b.account = n.account and b.organization_id = me.organization_id
    order by n.place`,
);

/** After an entry of the ledger: its lines until then, added up. */
export const readTrialBalanceAsOf = readMany(
  'trial_balance_as_of',
  { ledger: 'bigint' },
  `select n.account, coalesce(sum(j.debit), 0)::bigint as debits,
      coalesce(sum(j.credit), 0)::bigint as credits
    from ${ALL_ACCOUNTS}
    left join read_model.journal j on j.account = n.account
      and j.organization_id = me.organization_id and j.sequence <= p_ledger
    group by n.account, n.place
    order by n.place`,
);
