import { person } from '../../kernel/charges.ts';
import { readMany, readOne } from '../../kernel/read.ts';

/** The command service stores exports and counts their progress. */
const EXPORT = `
  select e.export_id as id, e.state->>'status' as status, e.state->>'format' as format,
    e.state->'filter' as filter, (e.state->'upTo')::int as "upTo",
    (e.state->'since')::int as since, (e.state->'done')::int as done,
    (e.state->'rows')::int as rows, e.state->'parts' as parts,
    ${person("(e.state->>'requestedBy')::uuid")} as "requestedBy",
    e.state->>'createdAt' as "createdAt", e.state->>'expiresAt' as "expiresAt"
  from operational.audit_exports e
  where e.organization_id = me.organization_id and e.expires_at > now()`;

const EXPORTS_MAX = 50;

export const readAuditExports = readMany(
  'audit_exports',
  {},
  `${EXPORT} order by e.state->>'createdAt' desc, e.export_id desc limit ${EXPORTS_MAX}`,
);

export const readAuditExport = readOne(
  'audit_export',
  { id: 'uuid' },
  `${EXPORT} and e.export_id = p_id`,
);

/** The chunk of an export's file that holds the byte at a position, as base64. */
export const readExportChunk = readOne(
  'audit_export_chunk',
  { id: 'uuid', file: 'text', at: 'bigint' },
  `select c.start, encode(c.content, 'base64') as content
   from operational.audit_export_chunks c
   where c.organization_id = me.organization_id and c.export_id = p_id and c.file = p_file
     and c.start <= p_at
   order by c.start desc limit 1`,
);

/** The size of the log, and its tree as computed from the event store; null before the first event. */
export const readAuditTree = readOne(
  'audit_tree',
  {},
  `select me.organization_id as "organizationId",
     coalesce((select h.sequence from read_model.audit_heads h
       where h.organization_id = me.organization_id), 0)::int as size, (select t.frontier
     from operational.audit_trees t where t.organization_id = me.organization_id) as frontier`,
);

/** When the event store was last compared with what was computed and signed, and what differs. */
export const readAuditCheck = readOne(
  'audit_check',
  {},
  `select (select c.checked_at from operational.audit_check c) as "checkedAt",
     (select json_build_object('place', d.place, 'first', d.first, 'last', d.last,
        'foundAt', d.found_at)
      from operational.audit_differences d where d.organization_id = me.organization_id
      order by d.place = 'store' desc limit 1) as difference,
     (select json_build_object('at', n.stamped_at, 'authority', n.authority)
      from operational.audit_anchored a join operational.audit_anchors n using (number)
      where a.organization_id = me.organization_id
      order by a.number desc limit 1) as stamped`,
);

/** Stamped checkpoints after the anchor `after`, at most `max`, with their numbers. */
export const readAuditTimestamps = readOne(
  'audit_timestamps',
  { after: 'bigint', max: 'int' },
  `select coalesce(json_agg(json_build_object('number', s.number, 'line', json_build_object(
     'checkpoint', s.checkpoint, 'anchor', s.text, 'index', s.index, 'proof', s.proof,
     'token', replace(encode(s.token, 'base64'), E'\\n', ''), 'authority', s.authority,
     'stampedAt', to_char(s.stamped_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     order by s.number), '[]') as stamped
   from (select a.number, a.checkpoint, a.index, a.proof, n.text, n.token, n.authority, n.stamped_at
     from operational.audit_anchored a join operational.audit_anchors n using (number)
     where a.organization_id = me.organization_id and a.number > p_after
     order by a.number limit p_max) s`,
);

/** The leaves (base64) of the audit log after the first `after`, at most `max`. */
export const readAuditLeaves = readOne(
  'audit_leaves',
  { after: 'bigint', max: 'int' },
  `select coalesce(json_agg(encode(l.leaf, 'base64') order by l.sequence), '[]') as leaves
   from (select a.sequence, a.leaf from read_model.audit_entries a
     where a.organization_id = me.organization_id and a.sequence > p_after
     order by a.sequence limit p_max) l`,
);

/** Checks access only, for answers that come from no table. */
export const readAuditAccess = readOne('audit_access', {}, 'select true as allowed');
