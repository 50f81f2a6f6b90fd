import { agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import { agentsModel } from '@tallyhand/read-models/features/agents/agents.tables';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

export const agentsProjection = rowProjection({
  model: agentsModel,
  kinds: agentEvents,
  table: 'agents',
  idOf: ({ agentId }) => agentId,
  counts: [
    {
      table: 'agent_counts',
      as: ({ organization_id, is_active, deleted_at }) =>
        deleted_at === null ? { organization_id, is_active } : null,
    },
  ],
  first: { AgentCreated: () => ({}) },
  next: {
    AgentChanged: 'by-name',
    AgentPaused: () => ({ is_active: false }),
    AgentActivated: () => ({ is_active: true }),
    AgentDeleted: deletedRow,
    AgentRestored: restoredRow,
    AgentResourcesAssigned: 'by-name',
  },
});
