import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';

/** What a member is called, or an API key, by its id. */
export const nameOf = (id: string) =>
  `coalesce((select username from read_model.members where user_id = ${id}),
    (select name from read_model.api_keys where key_id = ${id}))`;

/** The actor, as views name them: former members have no name. */
export const person = (id: string) => `json_build_object('id', ${id}, 'name', ${nameOf(id)})`;

/** Joins what the ledger charged for a piece of work, as `l`. */
export const chargedFor = (kind: WorkKind, id: string) =>
  `left join read_model.ledger_entries l
  on l.work_id = ${id} and l.kind = 'charged' and l.work_kind = '${kind}'`;

/** What work cost: what the ledger charged for it and has not given back. */
export const costOf = (kind: WorkKind, id: string) =>
  `coalesce((select sum(case when c.kind = 'charged' then c.amount else -c.amount end)
    from read_model.ledger_entries c
    where c.work_id = ${id} and c.kind in ('charged', 'refunded')
      and c.work_kind = '${kind}'), 0)::bigint`;

/** Why it cost that, or null. */
export const CHARGE = `case when l.sequence is null then null else json_build_object(
    'sequence', l.sequence, 'amount', l.amount, 'price', l.price, 'memberId', l.member_id,
    'memberName', ${nameOf('l.member_id')},
    'at', l.at, 'hash', l.hash) end`;
