import {
  type Agent,
  type Assignments,
  assignResources,
  changeAgent,
  createAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { AgentChange, AgentInput } from '@tallyhand/contracts/features/agents/agents.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAgents: build.query<Agent[], void>({
      query: () => call(listAgents),
      providesTags: ['agents'],
    }),
    createAgent: build.mutation<Agent, AgentInput>({
      query: (body) => call(createAgent, { body }),
      invalidatesTags: ['agents'],
    }),
    changeAgent: build.mutation<Agent, { id: string; change: AgentChange }>({
      query: ({ id, change }) => call(changeAgent, { params: { id }, body: change }),
      invalidatesTags: ['agents', 'audit'],
    }),
    getAssignments: build.query<Assignments, string>({
      query: (id) => call(getAssignments, { params: { id } }),
      providesTags: ['agents'],
    }),
    assignResources: build.mutation<Assignments, { id: string; assignments: Assignments }>({
      query: ({ id, assignments }) => call(assignResources, { params: { id }, body: assignments }),
      invalidatesTags: ['agents', 'audit'],
    }),
  }),
});

export const {
  useListAgentsQuery,
  useCreateAgentMutation,
  useChangeAgentMutation,
  useGetAssignmentsQuery,
  useAssignResourcesMutation,
} = agentsApi;
