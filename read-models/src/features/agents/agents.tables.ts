import { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  bigint,
  boolean,
  int,
  json,
  orNull,
  text,
  timestamp,
  uuid,
  uuids,
} from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { versionedObject } from '../../kernel/versioned-object.ts';

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
        version: int,
        articles: uuids,
        playbooks: uuids,
        tools: uuids,
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, agent_id) where deleted_at is null',
        '(organization_id, deleted_at, agent_id) where deleted_at is not null',
      ],
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
