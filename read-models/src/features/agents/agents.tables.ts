import { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { bigint, boolean, json, text, uuid, uuids } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import {
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

export const agentsModel = readModel({
  name: 'agents',
  feature: 'agents',
  version: 1,
  tables: {
    agents: table({
      key: ['agent_id'],
      columns: {
        agent_id: uuid,
        organization_id: uuid,
        name: text,
        description: text,
        persona: json<unknown>(),
        is_active: boolean,
        articles: uuids,
        playbooks: uuids,
        tools: uuids,
        ...versionedColumns,
      },
      indexes: versionedIndexes('agent'),
    }),
    /** Agents that are not deleted. */
    agent_counts: table({
      key: ['organization_id', 'is_active'],
      columns: {
        organization_id: uuid,
        is_active: boolean,
        count: bigint,
      },
      counts: `select organization_id, is_active, count(*) from read_model.agents
      where deleted_at is null group by 1, 2`,
    }),
  },
});

export const agents = versionedObject({
  kind: 'agent',
  view: Agent,
  table: agentsModel.tables.agents,
  columnOf: { personaConfig: 'persona' },
  computed: {},
  inList: {},
  searched: [
    'o.name',
    'o.description',
    `o.persona->>'role'`,
    `o.persona->>'personality'`,
    `o.persona->>'expertise'`,
  ],
  filters: {
    is_active: { type: 'boolean', where: 'o.is_active = p_is_active' },
    article_id: { type: 'uuid', where: 'p_article_id = any(o.articles)' },
    playbook_id: { type: 'uuid', where: 'p_playbook_id = any(o.playbooks)' },
    tool_id: { type: 'uuid', where: 'p_tool_id = any(o.tools)' },
  },
});

/** Only what exists now: a deleted article returns with its restoration. */
export const readAssignments = readOne(
  'assignments',
  { id: 'uuid' },
  `select array(select article_id from read_model.articles
      where article_id = any(a.articles) and deleted_at is null) as articles,
     array(select playbook_id from read_model.playbooks
      where playbook_id = any(a.playbooks) and deleted_at is null) as playbooks,
     array(select tool_id from read_model.tools
      where tool_id = any(a.tools) and deleted_at is null) as tools
   from read_model.agents a
   where a.organization_id = me.organization_id and a.deleted_at is null and a.agent_id = p_id`,
);
