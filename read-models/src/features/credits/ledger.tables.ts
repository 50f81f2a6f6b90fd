import {
  LEDGER_GROUP_ENTRIES_MAX,
  LedgerEntry,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { WORK_KINDS, type WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { ACCOUNTS, type Account } from '@tallyhand/contracts/kernel/postings';
import { nameOf } from '../../kernel/charges.ts';
import { bigint, date, orNull, text, textOf, timestamp, uuid } from '../../kernel/columns.ts';
import { inEachOrder, orElse, readMany, readOne, readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/**
 * A ledger as a statement, as balances and as double entry. They are one model because they are
 * reconciled after each batch, so all must be at the same event. The spendable balance is `posted -
 * reserved`.
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
        '(reservation_id, sequence) where reservation_id is not null',
        // A cursor names an entry by its time and its id.
        '(organization_id, at, entry_id)',
      ],
      writeIndexes: ['(work_id, kind) where work_id is not null'],
    }),
    /** A line of the double entry: either `debit` or `credit` is 0. */
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
    /** Credits charged minus credits refunded, by the day (UTC) of the charge. */
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
      indexes: ['(organization_id, agent_id, day)'],
    }),
    /** Credits charged minus credits refunded, by agent. */
    agent_usage: table({
      key: ['organization_id', 'agent_id'],
      columns: {
        organization_id: uuid,
        agent_id: uuid,
        credits: bigint,
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

/** The session of a piece of work, by its kind. */
const SESSION_OF: Readonly<Record<WorkKind, string>> = {
  task: 'null::uuid',
  step: '(select c.session_id from read_model.session_steps c where c.step_id = l.work_id)',
};

const ENTRY = selectOf(LedgerEntry, ledgerModel.tables.ledger_entries, 'l', {
  id: 'l.entry_id',
  work: `case when l.work_id is null then null
    else json_build_object('kind', l.work_kind, 'id', l.work_id) end`,
  sessionId: `case l.work_kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${SESSION_OF[kind]}`).join(' ')} end`,
  createdAt: 'l.at',
});

const LAST_SEQUENCE = '9223372036854775807';
const FIRST_OF = {
  newest: { direction: 'desc', isBeyond: '<', start: LAST_SEQUENCE },
  oldest: { direction: 'asc', isBeyond: '>', start: '0' },
} as const;

/** The sequence of the entry that the cursor names. */
const CURSOR_ENTRY = `(select c.sequence from read_model.ledger_entries c
  where c.organization_id = me.organization_id
    and (c.at, c.entry_id) >= (p_cursor_at, p_cursor_id)
    and (c.at, c.entry_id) <= (p_cursor_at, p_cursor_id)
  order by c.at, c.entry_id limit 1)`;

/** Paged by key. `until` is the newest entry at the requested time. */
const entries = (order: Order, start: string = FIRST_OF[order].start) => {
  const { direction, isBeyond } = FIRST_OF[order];
  return {
    as: 'l',
    at: 'sequence',
    id: 'entry_id',
    source: `select l.* from read_model.ledger_entries l
      where l.organization_id = me.organization_id
        and l.sequence <= ${orElse('p_until', LAST_SEQUENCE)}
        and l.sequence ${isBeyond} case when p_cursor_at is null then ${start}
          else ${CURSOR_ENTRY} end
      order by l.sequence ${direction} limit p_limit`,
    select: ENTRY,
  };
};

export const readLedgerEntries = inEachOrder((order, suffix) =>
  readPage(`ledger_entries${suffix}`, entries(order), { until: 'bigint' }, order),
);

/** Whether a reservation has no entry before `l`. */
const IS_FIRST = `(l.reservation_id is null or not exists (
  select from read_model.ledger_entries e where e.reservation_id = l.reservation_id
    and e.organization_id = l.organization_id and e.sequence < l.sequence))`;

/** The sequence of the first entry of the group that has an entry with this sequence. */
const firstOfGroup = (sequence: string) => `(select coalesce(
    (select e.sequence from read_model.ledger_entries e where e.reservation_id = l.reservation_id
       and e.organization_id = l.organization_id order by e.sequence limit 1), l.sequence)
  from read_model.ledger_entries l
  where l.organization_id = me.organization_id and l.sequence = ${sequence})`;

/** Paged by the key of each group's first entry, which nothing that follows can change. */
const groups = (order: Order) => {
  const { direction, isBeyond, start } = FIRST_OF[order];
  return {
    as: 'g',
    at: 'sequence',
    id: 'entry_id',
    source: `select l.* from read_model.ledger_entries l
      where l.organization_id = me.organization_id
        and l.sequence ${isBeyond}= case
          when p_cursor_at is not null then ${CURSOR_ENTRY} ${order === 'newest' ? '-' : '+'} 1
          when p_entry is not null then ${firstOfGroup('p_entry')}
          else ${start} end
        and ${IS_FIRST}
      order by l.sequence ${direction} limit p_limit`,
    select: `g.entry_id as id, g.at as "createdAt",
      (select json_agg(e order by e.sequence) from (
        select ${ENTRY} from (
          select g.* union all (
            select e.* from read_model.ledger_entries e
            where e.reservation_id = g.reservation_id and e.organization_id = g.organization_id
              and e.sequence > g.sequence
            order by e.sequence desc limit ${LEDGER_GROUP_ENTRIES_MAX - 1})) l) e) as entries`,
  };
};

export const readLedgerGroups = inEachOrder((order, suffix) =>
  readPage(`ledger_groups${suffix}`, groups(order), { entry: 'bigint' }, order),
);

/** Clocks of services differ by less than this. */
const SKEW = `interval '10 minutes'`;

/** The last entry before a moment, whatever clocks said of those before it, or no row. */
export const lastEntryBefore = (moment: string) => `(
  select l.* from read_model.ledger_entries l
  where l.organization_id = me.organization_id and l.at < ${moment} and l.at >= (
    select e.at from read_model.ledger_entries e
    where e.organization_id = me.organization_id and e.at < ${moment}
    order by e.at desc, e.entry_id desc limit 1) - ${SKEW}
  order by l.sequence desc limit 1)`;

const sequenceBefore = (moment: string) => `case when ${moment} is not null then
  coalesce((select b.sequence from ${lastEntryBefore(moment)} b), 0) end`;

/** The entries of a period: those after one and up to another; null without a bound. */
export const readLedgerBounds = readOne(
  'ledger_bounds',
  { from: 'timestamptz', to: 'timestamptz' },
  `select ${sequenceBefore('p_from')} as after, ${sequenceBefore('p_to')} as until`,
);

/** Oldest first, with the current names of agents and members. */
export const readNamedLedgerEntries = readPage(
  'named_ledger_entries',
  {
    ...entries('oldest', orElse('p_after', '0')),
    select: `${ENTRY}, a.name as "agentName", ${nameOf('l.member_id')} as "memberName"`,
    joins: 'left join read_model.agents a on a.agent_id = l.agent_id and a.deleted_at is null',
  },
  { after: 'bigint', until: 'bigint' },
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

/** The balance after an entry: the sum of the lines up to it. */
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

/**
 * The command service stores the newest verification of each ledger; without one all fields are
 * null.
 */
export const readVerification = readOne(
  'verification',
  {},
  `select (v.state ->> 'status') as status, (v.state ->> 'startedAt') as "startedAt",
     (v.state ->> 'finishedAt') as "finishedAt", coalesce((v.state -> 'entries')::int, 0) as entries,
     v.state ->> 'head' as head, (v.state ->> 'brokenAt')::int as "brokenAt",
     nullif(v.state -> 'available', 'null') as available,
     (v.state ->> 'debits')::bigint as debits, (v.state ->> 'credits')::bigint as credits
   from (values (me.organization_id)) o (organization_id)
   left join operational.ledger_verifications v using (organization_id)`,
);

/** Both days are included. */
const DAYS = { from: 'date', to: 'date' } as const;

const sumsBy = (column: string) => `(select u.${column} as key,
    sum(u.credits)::bigint as credits, sum(u.count)::bigint as count
  from read_model.usage_daily u
  where u.organization_id = me.organization_id and u.day between p_from and p_to
  group by u.${column}) s`;
/** Fully refunded usage is not listed; highest spending first. */
const SPENT = 'where s.credits <> 0 or s.count <> 0 order by s.credits desc, s.key';

/** Every day of the range, including days without usage. */
export const readUsageByDay = readMany(
  'usage_by_day',
  DAYS,
  `select to_char(d.day, 'YYYY-MM-DD') as key, null::text as name,
     coalesce(s.credits, 0) as credits, coalesce(s.count, 0) as count
   from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d (day)
   left join ${sumsBy('day')} on s.key = d.day::date
   order by d.day`,
);

export const readUsageByAgent = readMany(
  'usage_by_agent',
  DAYS,
  `select s.key, a.name, s.credits, s.count from ${sumsBy('agent_id')}
   left join read_model.agents a on a.agent_id = s.key and a.deleted_at is null ${SPENT}`,
);

/** Work without a member has the key `none`. */
export const readUsageByMember = readMany(
  'usage_by_member',
  DAYS,
  `select coalesce(s.key::text, 'none') as key, ${nameOf('s.key')} as name, s.credits, s.count
   from ${sumsBy('member_id')} ${SPENT}`,
);

export const readUsageByType = readMany(
  'usage_by_type',
  DAYS,
  `select s.key, null::text as name, s.credits, s.count from ${sumsBy('work_type')} ${SPENT}`,
);
