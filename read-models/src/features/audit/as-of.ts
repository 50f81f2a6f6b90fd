import { credentialsRequired } from '../../kernel/dropped-credentials.ts';
import { isShortened, readComputedPage, readOne, shortened } from '../../kernel/read.ts';
import type { StoredFunction } from '../../kernel/read-model.ts';

/** A text of the organization that is kept in the blob store. */
export const keptText: StoredFunction = {
  caller: 'query',
  arguments: { hash: 'text' },
  returns: 'content text',
  declares: '',
  body: `return query select convert_from(b.content, 'UTF8') from operational.blobs b
    where b.organization_id = mine and b.hash = p_hash;`,
};

/**
 * A moment as a place in the audit log, with the log's end: `sequence` is the last entry with a time
 * until then, whatever the clocks before it said, 0 before the first; `ledger` is the same in the
 * organization's ledger.
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

/**
 * The objects of a kind as they were after an entry of the log: the values of their events, later
 * ones over earlier ones, as `state`. What was deleted then is not among them.
 */
const objectsAsOf = (category: string, type: string) => `
  (select * from (
    select a.object_id::uuid as id, jsonb_object_agg(e.key, e.value order by a.sequence) as state,
      min(a.at) as "createdAt"
    from read_model.audit_entries a
    cross join lateral jsonb_each(a.data || case a.type
      when '${type}Deleted' then '{"isDeleted": true}'::jsonb
      when '${type}Restored' then '{"isDeleted": false}'
      when '${type}Paused' then '{"isActive": false}'
      when '${type}Activated' then '{"isActive": true}' else '{}' end) e
    where a.organization_id = me.organization_id and a.category = '${category}'
      and a.sequence <= p_sequence
    group by a.object_id) o
  where o.state->>'isDeleted' is distinct from 'true') o`;

const texts = (name: string) =>
  `array(select jsonb_array_elements_text(o.state->'${name}')) as "${name}"`;

const AGENTS = `
  select o.id, o.state->>'name' as name, o.state->>'description' as description,
    o.state->'persona' as "personaConfig", (o.state->'isActive')::boolean as "isActive",
    (o.state->'version')::int as version, o."createdAt"
  from ${objectsAsOf('agent', 'Agent')}`;

const articles = (content: string) => `
  select o.id, o.state->>'title' as title, ${content}, o.state->>'category' as category,
    ${texts('tags')}, (o.state->'isPublic')::boolean as "isPublic",
    (o.state->'version')::int as version, o."createdAt"
  from ${objectsAsOf('article', 'Article')}
  cross join lateral (select coalesce(o.state->'content'->>'text',
    (select k.content from read_model.kept_text(o.state->'content'->>'hash') k)) as content) c`;

const PLAYBOOKS = `
  select o.id, o.state->>'title' as title, o.state->>'description' as description,
    ${texts('steps')}, o.state->>'category' as category, ${texts('tags')},
    (o.state->'estimatedDuration')::int as "estimatedDuration",
    (o.state->'version')::int as version, o."createdAt"
  from ${objectsAsOf('playbook', 'Playbook')}`;

const TOOLS = `
  select o.id, o.state->>'name' as name, o.state->>'description' as description,
    o.state->>'toolType' as type, o.state->'config' as config,
    array(select jsonb_array_elements_text(o.state->'credentials'->'names')) as "credentialNames",
    ${credentialsRequired(`o.state->>'toolType'`, `o.state->'config'`, `o.state->'credentials'->'dropped'`)},
    (o.state->'version')::int as version, o."createdAt"
  from ${objectsAsOf('tool', 'Tool')}`;

const AFTER = { sequence: 'bigint' } as const;
const ONE = { ...AFTER, id: 'uuid' } as const;
const OWN = 'where o.id = p_id';

export const readAgentsAsOf = readComputedPage('agents_as_of', AGENTS, AFTER);
export const readAgentAsOf = readOne('agent_as_of', ONE, `${AGENTS} ${OWN}`);
export const readArticlesAsOf = readComputedPage(
  'articles_as_of',
  articles(`${shortened('c.content')} as content,
    ${isShortened('c.content')} as truncated`),
  AFTER,
);
export const readArticleAsOf = readOne('article_as_of', ONE, `${articles('c.content')} ${OWN}`);
export const readPlaybooksAsOf = readComputedPage('playbooks_as_of', PLAYBOOKS, AFTER);
export const readPlaybookAsOf = readOne('playbook_as_of', ONE, `${PLAYBOOKS} ${OWN}`);
export const readToolsAsOf = readComputedPage('tools_as_of', TOOLS, AFTER);
export const readToolAsOf = readOne('tool_as_of', ONE, `${TOOLS} ${OWN}`);

/** Before its first event an organization has no state to show. */
export const readOrganizationAsOf = readOne(
  'organization_as_of',
  { ...AFTER, ledger: 'bigint' },
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
