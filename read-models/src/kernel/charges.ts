import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';

/** The name of a member or an API key. */
export const nameOf = (id: string) =>
  `coalesce((select username from read_model.members where user_id = ${id}),
    (select name from read_model.api_keys where key_id = ${id}))`;

/** An actor as views show it; former members have no name. */
export const person = (id: string) => `json_build_object('id', ${id}, 'name', ${nameOf(id)})`;

/** Joins the charge of a piece of work as `l`. */
export const chargedFor = (kind: WorkKind, id: string) =>
  `left join read_model.ledger_entries l
  on l.work_id = ${id} and l.kind = 'charged' and l.work_kind = '${kind}'`;

/**
 * The cost of a piece of work: its charges minus its refunds. Work that succeeded is charged a moment
 * later: until then its cost is what was set aside for it.
 */
export const costOf = (kind: WorkKind, id: string, succeeded = 'false') =>
  `coalesce(
    (select sum(case when c.kind = 'charged' then c.amount else -c.amount end)
      from read_model.ledger_entries c
      where c.work_id = ${id} and c.kind in ('charged', 'refunded') and c.work_kind = '${kind}'),
    (select max(c.amount) from read_model.ledger_entries c
      where ${succeeded} and c.work_id = ${id} and c.work_kind = '${kind}'
      having not bool_or(c.kind in ('released', 'expired'))),
    0)::bigint`;

/** The charge as JSON, or null. */
export const CHARGE = `case when l.sequence is null then null else json_build_object(
    'sequence', l.sequence, 'amount', l.amount, 'price', l.price, 'memberId', l.member_id,
    'memberName', ${nameOf('l.member_id')},
    'at', l.at, 'hash', l.hash) end`;
