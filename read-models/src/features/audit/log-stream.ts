import { readOne } from '../../kernel/read.ts';

/** The command service stores where the log goes. */
export const readLogStream = readOne(
  'log_stream',
  {},
  `select h.sequence as entries, case when s.organization_id is not null then json_build_object(
       'kind', s.kind, 'address', s.origin, 'delivered', s.sequence,
       'deliveredAt', s.delivered_at, 'failingSince', s.failing_since, 'failure', s.failure,
       'nextAttemptAt', case when s.failing_since is not null then s.next_at end,
       'createdAt', s.created_at) end as stream
   from read_model.audit_heads h
   left join operational.organization_log_stream s on s.organization_id = h.organization_id
   where h.organization_id = me.organization_id`,
);
