import { type AgentEvent, agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import { agentsModel } from '@tallyhand/read-models/features/agents/agents.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const agentsProjection = rowProjection<AgentEvent, 'agents', 'AgentCreated', 'agent_counts'>(
  {
    model: agentsModel,
    kinds: agentEvents,
    table: 'agents',
    key: 'agent_id',
    idOf: ({ agentId }) => agentId,
    counts: {
      table: 'agent_counts',
      as: ({ organization_id, is_active, deleted_at }) =>
        deleted_at === null ? { organization_id, is_active } : null,
    },
    first: {
      AgentCreated: (data, { at }) => ({
        agent_id: data.agentId,
        organization_id: data.organizationId,
        name: data.name,
        description: data.description,
        persona: data.persona,
        is_active: data.isActive,
        version: data.version,
        articles: [],
        playbooks: [],
        tools: [],
        created_at: at,
        deleted_at: null,
      }),
    },
    next: {
      AgentChanged: (row, { version, name, description, persona }) => ({
        ...row,
        version,
        name: name ?? row.name,
        description: description ?? row.description,
        persona: persona ?? row.persona,
      }),
      AgentPaused: (row) => ({ ...row, is_active: false }),
      AgentActivated: (row) => ({ ...row, is_active: true }),
      AgentDeleted: (row, _, { at }) => ({ ...row, deleted_at: at }),
      AgentRestored: (row) => ({ ...row, deleted_at: null }),
      AgentResourcesAssigned: (row, { articles, playbooks, tools }) => ({
        ...row,
        articles,
        playbooks,
        tools,
      }),
    },
  },
);
