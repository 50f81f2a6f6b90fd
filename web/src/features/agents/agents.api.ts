import {
  assignResources,
  changeAgent,
  createAgent,
  getAssignments,
  listAgentSummaries,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { AHEAD, api, change, read } from '../../app/api.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

/** What an agent may use and has done changes with all of these. */
const OF_SUMMARIES = [
  'agents',
  'knowledge',
  'playbooks',
  'tools',
  'tasks',
  'sessions',
  'credits',
] as const;

const agentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listAgents: build.query(readList(listAgents, ['agents'])),
    listAgentSummaries: build.query(read(listAgentSummaries, OF_SUMMARIES)),
    createAgent: build.mutation(change(createAgent, ['agents'])),
    changeAgent: build.mutation(changeSeen(changeAgent, ['agents', 'audit'])),
    /** Pausing overwrites nothing, so it applies to any state. */
    setAgentActive: build.mutation(change(changeAgent, ['agents', 'audit'])),
    getAssignments: build.query(read(getAssignments, ['agents'])),
    assignResources: build.mutation(changeSeen(assignResources, ['agents', 'audit'])),
  }),
});

export const askForAgents = () => agentsApi.endpoints.listAgents.initiate(undefined, AHEAD);

export const {
  useListAgentsQuery,
  useListAgentSummariesQuery,
  useCreateAgentMutation,
  useChangeAgentMutation,
  useSetAgentActiveMutation,
  useGetAssignmentsQuery,
  useLazyGetAssignmentsQuery,
  useAssignResourcesMutation,
} = agentsApi;
