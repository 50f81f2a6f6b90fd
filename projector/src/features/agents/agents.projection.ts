import { agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import { agentsModel } from '@tallyhand/read-models/features/agents/agents.tables';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

const reassigned = ({ assignments_version }: { assignments_version: number }) => ({
  assignments_version: assignments_version + 1,
});

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
  first: { AgentCreated: () => ({ assignments_version: 0 }) },
  next: {
    AgentChanged: (row, { articles, playbooks, tools }, { named }) =>
      articles || playbooks || tools ? { ...named, ...reassigned(row) } : named,
    AgentPaused: () => ({ is_active: false }),
    AgentActivated: () => ({ is_active: true }),
    AgentDeleted: deletedRow,
    AgentRestored: restoredRow,
    AgentResourcesAssigned: (row, _, { named }) => ({ ...named, ...reassigned(row) }),
  },
});
