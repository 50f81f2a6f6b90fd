import { type AgentEvent, agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import type { AgentsTable } from '@tallyhand/read-models/features/agents/agents.tables';
import { agentsModel } from '@tallyhand/read-models/features/agents/agents.tables';
import { projection, type Tx } from '../../kernel/projection.ts';

export const agentsProjection = projection<AgentEvent>({
  model: agentsModel,
  kinds: agentEvents,
  on: {
    AgentCreated: (tx, data, { at }) =>
      tx
        .insertInto('agents')
        .values({
          agent_id: data.agentId,
          organization_id: data.organizationId,
          name: data.name,
          description: data.description,
          persona: JSON.stringify(data.persona),
          is_active: data.isActive,
          version: data.version,
          articles: [],
          playbooks: [],
          tools: [],
          created_at: at,
          deleted_at: null,
        })
        .execute(),
    AgentChanged: (tx, { agentId, version, name, description, persona }) =>
      change(tx, agentId, {
        version,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(persona === undefined ? {} : { persona: JSON.stringify(persona) }),
      }),
    AgentPaused: (tx, { agentId }) => change(tx, agentId, { is_active: false }),
    AgentActivated: (tx, { agentId }) => change(tx, agentId, { is_active: true }),
    AgentDeleted: (tx, { agentId }, { at }) => change(tx, agentId, { deleted_at: at }),
    AgentRestored: (tx, { agentId }) => change(tx, agentId, { deleted_at: null }),
    AgentResourcesAssigned: (tx, { agentId, articles, playbooks, tools }) =>
      change(tx, agentId, { articles, playbooks, tools }),
  },
});

const change = (tx: Tx, agentId: string, columns: Partial<AgentsTable>) =>
  tx.updateTable('agents').set(columns).where('agent_id', '=', agentId).execute();
