import {
  assignResources,
  changeAgent,
  createAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { api, change, read } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';

const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAgents: build.query(read(listAgents, ['agents'])),
    createAgent: build.mutation(change(createAgent, ['agents'])),
    changeAgent: build.mutation(changeSeen(changeAgent, ['agents', 'audit'])),
    /** Pausing overwrites nothing, so it applies to any state. */
    setAgentActive: build.mutation(change(changeAgent, ['agents', 'audit'])),
    getAssignments: build.query(read(getAssignments, ['agents'])),
    assignResources: build.mutation(changeSeen(assignResources, ['agents', 'audit'])),
  }),
});

export const {
  useListAgentsQuery,
  useCreateAgentMutation,
  useChangeAgentMutation,
  useSetAgentActiveMutation,
  useGetAssignmentsQuery,
  useAssignResourcesMutation,
} = agentsApi;
