import { readMany, readOne } from '../../kernel/read.ts';
import { lastEntryBefore, ledgerModel } from './ledger.tables.ts';
import { paymentsModel } from './payments.tables.ts';

/**
 * The part of the ledger that a period covers: the entries after `opening` up to `closing`. `isReady`:
 * the rows have everything that happened before the end of the period.
 */
export const readStatementPeriod = readOne(
  'statement_period',
  { from: 'timestamptz', until: 'timestamptz' },
  `select o.organization_id as "organizationId", o.name, o.registered_at as "registeredAt",
     coalesce(opening.sequence, 0) as opening, coalesce(closing.sequence, 0) as closing,
     closing.hash,
     not exists (
       select from read_model.projection_states() s
       where s.projection in ('${ledgerModel.name}', '${paymentsModel.name}', 'audit-log')
         and (select now() - make_interval(secs => p.silent_seconds + s.lag_seconds)
           from read_model.projector_state() p) >= p_until is not true)
     and not exists (
       select from (
         select a.event_id, a.at from read_model.audit_entries a
         where a.organization_id = me.organization_id and a.category = 'ledger'
         order by a.sequence desc limit 1) newest
       where not exists (select from read_model.ledger_entries l
         where l.organization_id = me.organization_id and l.at = newest.at
           and l.entry_id = newest.event_id)) as "isReady"
   from read_model.organizations o
   left join lateral ${lastEntryBefore('p_from')} opening on true
   left join lateral ${lastEntryBefore('p_until')} closing on true
   where o.organization_id = me.organization_id`,
);

/** When the organization was created. */
export const readStatementsBeginning = readOne(
  'statements_beginning',
  {},
  `select o.registered_at as "registeredAt" from read_model.organizations o
   where o.organization_id = me.organization_id`,
);

/** Entries after one and up to another; callers read a ledger part by part. */
const PART = { after: 'bigint', until: 'bigint' } as const;
const PART_OF_LEDGER = `l.organization_id = me.organization_id
     and l.sequence > p_after and l.sequence <= p_until`;

/** Sums by kind; adjustments in both directions apart. */
export const readLedgerSums = readMany(
  'ledger_sums',
  PART,
  `select l.kind, l.amount < 0 as "isNegative", count(*)::int as entries,
     sum(l.amount)::bigint as amount, sum(l.available_change)::bigint as available,
     sum(l.posted_change - l.available_change)::bigint as reserved
   from read_model.ledger_entries l where ${PART_OF_LEDGER}
   group by l.kind, l.amount < 0`,
);

const withdrawnUntil = (sequence: string) => `(
  select coalesce(sum(case r.kind when 'reversed' then r.amount when 'reinstated' then -r.amount
      else 0 end), 0)::bigint
  from read_model.ledger_entries r
  where r.payment_id = l.payment_id and r.organization_id = l.organization_id
    and r.sequence <= ${sequence})`;

/**
 * The entries that added credits, with what was paid for them, and how many of a payment's credits
 * were withdrawn up to two entries. `cents` is null as long as a payment's row is missing.
 */
export const readCreditLots = readMany(
  'credit_lots',
  { ...PART, opening: 'bigint', closing: 'bigint' },
  `select l.sequence, l.at, l.kind, l.amount as credits, l.payment_id as "paymentId",
     p.cents, p.currency,
     ${withdrawnUntil('p_opening')} as "withdrawnBefore",
     ${withdrawnUntil('p_closing')} as withdrawn
   from read_model.ledger_entries l
   left join read_model.payments p
     on p.payment_id = l.payment_id and p.organization_id = l.organization_id
   where ${PART_OF_LEDGER} and l.amount > 0 and l.kind in ('granted', 'purchased', 'adjusted')
   order by l.sequence`,
);
