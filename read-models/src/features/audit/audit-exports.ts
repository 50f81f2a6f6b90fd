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

/** The size of the log, and the tree of its newest stored checkpoint; null before the first. */
export const readAuditTree = readOne(
  'audit_tree',
  {},
  `select me.organization_id as "organizationId",
     coalesce((select h.sequence from read_model.audit_heads h
       where h.organization_id = me.organization_id), 0)::int as size, (select c.frontier
     from operational.audit_checkpoints c where c.organization_id = me.organization_id
     order by c.size desc limit 1) as frontier`,
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
