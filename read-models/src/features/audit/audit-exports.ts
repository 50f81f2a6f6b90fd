import { person } from '../../kernel/charges.ts';
import { readMany, readOne } from '../../kernel/read.ts';

/** The command service stores exports and counts their progress. */
const EXPORT = `
  select e.export_id as id, e.state->>'status' as status, e.state->>'format' as format,
    e.state->'filter' as filter, (e.state->'upTo')::int as "upTo", (e.state->'done')::int as done,
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

/** Checks access only, for answers that come from no table. */
export const readAuditAccess = readOne('audit_access', {}, 'select true as allowed');
