import { readOne } from '../../kernel/read.ts';
import type { StoredFunction } from '../../kernel/read-model.ts';

/** A text of the organization in the blob store. */
export const keptText: StoredFunction = {
  caller: 'query',
  arguments: { hash: 'text' },
  returns: 'content text',
  declares: '',
  body: `return query select convert_from(b.content, 'UTF8') from operational.blobs b
    where b.organization_id = mine and b.hash = p_hash;`,
};

/**
 * The place of a moment in the audit log, and the log's end. `sequence` is the last entry up to that
 * time, whatever earlier clocks said, or 0 before the first; `ledger` is the same in the ledger.
 */
export const readPlace = readOne(
  'place',
  { at: 'timestamptz', sequence: 'bigint' },
  `select p.head, p.sequence, p_at > now() as "isFuture", coalesce((
       select l.sequence from read_model.audit_entries a
       join read_model.ledger_entries l on l.organization_id = a.organization_id
         and l.at = a.at and l.entry_id = a.event_id
       where a.organization_id = me.organization_id and a.category = 'ledger'
         and a.sequence <= p.sequence
       order by a.sequence desc limit 1), 0) as ledger
   from (select coalesce((select sequence from read_model.audit_heads
         where organization_id = me.organization_id), 0) as head,
       coalesce(p_sequence, (select a.sequence
         from read_model.audit_heads h join read_model.audit_entries a using (organization_id)
         where h.organization_id = me.organization_id and a.at <= p_at
           and a.latest <= p_at + h.skew_ms * interval '1 ms'
         order by a.latest desc, a.sequence desc limit 1), 0) as sequence) p`,
);

/** Before its first event an organization has no state to show. */
export const readOrganizationAsOf = readOne(
  'organization_as_of',
  { sequence: 'bigint', ledger: 'bigint' },
  `select o.organization_id as id, o.name,
     coalesce((select l.available from read_model.ledger_entries l
       where l.organization_id = o.organization_id and l.sequence = p_ledger), 0)
       as "creditBalance",
     coalesce((select sum(l.posted_change - l.available_change) from read_model.ledger_entries l
       where l.organization_id = o.organization_id and l.sequence <= p_ledger), 0)::bigint
       as reserved
   from read_model.organizations o
   where o.organization_id = me.organization_id and p_sequence > 0`,
);
