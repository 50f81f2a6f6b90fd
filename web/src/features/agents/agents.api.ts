import {
  assignResources,
  changeAgent,
  createAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { api, change, read } from '../../app/api.ts';

const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAgents: build.query(read(listAgents, ['agents'])),
    createAgent: build.mutation(change(createAgent, ['agents'])),
    changeAgent: build.mutation(change(changeAgent, ['agents', 'audit'])),
    getAssignments: build.query(read(getAssignments, ['agents'])),
    assignResources: build.mutation(change(assignResources, ['agents', 'audit'])),
  }),
});

export const {
  useListAgentsQuery,
  useCreateAgentMutation,
  useChangeAgentMutation,
  useGetAssignmentsQuery,
  useAssignResourcesMutation,
} = agentsApi;
