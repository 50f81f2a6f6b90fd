import { readModel, readOne, readPage } from '../../kernel/read-model.ts';

export const agentsModel = readModel({
  name: 'agents',
  feature: 'agents',
  version: 1,
  tables: {
    agents: `
      agent_id uuid primary key,
      organization_id uuid not null,
      name text not null,
      description text not null,
      persona jsonb not null,
      is_active boolean not null,
      version int not null,
      articles uuid[] not null,
      playbooks uuid[] not null,
      tools uuid[] not null,
      created_at timestamptz not null,
      deleted_at timestamptz`,
    agent_counts: `
      organization_id uuid not null,
      is_active boolean not null,
      count bigint not null,
      primary key (organization_id, is_active)`,
  },
  counts: {
    agent_counts: `select organization_id, is_active, count(*) from read_model.agents
      where deleted_at is null group by 1, 2`,
  },
  indexes: [
    `create index on read_model.agents (organization_id, created_at, agent_id)
      where deleted_at is null`,
    `create index on read_model.agents (organization_id, deleted_at, agent_id)
      where deleted_at is not null`,
  ],
});

export type AgentsTable = {
  agent_id: string;
  organization_id: string;
  name: string;
  description: string;
  persona: unknown;
  is_active: boolean;
  version: number;
  articles: string[];
  playbooks: string[];
  tools: string[];
  created_at: string;
  deleted_at: string | null;
};

/** Of agents that are not deleted. */
export type AgentCountsTable = { organization_id: string; is_active: boolean; count: number };

const AGENT = `a.agent_id as id, a.name, a.description, a.persona as "personaConfig",
  a.is_active as "isActive", a.version, a.created_at as "createdAt"`;

export const readAgents = readPage('agents', {
  table: 'read_model.agents',
  as: 'a',
  at: 'created_at',
  id: 'agent_id',
  where: 'a.deleted_at is null',
  select: AGENT,
});

export const readAgent = readOne(
  'agent',
  { id: 'uuid' },
  `select ${AGENT} from read_model.agents a
   where a.organization_id = me.organization_id and a.deleted_at is null and a.agent_id = p_id`,
);

/** Only what still exists: an article that was deleted comes back with its restoration. */
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
