import { z } from 'zod';
import { AGENT_MANAGERS, HISTORY_READERS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, IdList, Instant } from '../../kernel/ids.ts';
import { YesOrNo } from '../../kernel/lists.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
import { ModelCost } from '../models/model-usage.ts';
import {
  AgentChange,
  AgentInput,
  AgentModel,
  FormPolicy,
  Persona,
  resourceLists,
} from './agents.fields.ts';
import { FormPolicyNeedsAdmin } from './agents.refusals.ts';

/** Has its name in the API document. */
export { AgentModelInput } from './agents.fields.ts';

export const Agent = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  personaConfig: Persona,
  isActive: z.boolean(),
  /** Null for the default model of the installation. */
  model: AgentModel.nullable(),
  /** Null for an agent that was created before form policies existed: all forms are sent. */
  formPolicy: FormPolicy.nullable(),
  version: z.int(),
  createdAt: Instant,
  /** When it was last changed, paused, assigned or restored. */
  updatedAt: Instant,
});
export type Agent = z.infer<typeof Agent>;

/** Ids of the articles, playbooks and tools that an agent may use. */
export const Assignments = z.object({
  articles: z.array(Id),
  playbooks: z.array(Id),
  tools: z.array(Id),
  /** Grows by one with each assignment, and is apart from the version of the agent. */
  version: z.int(),
});
export type Assignments = z.infer<typeof Assignments>;

const idFilter = (name: string, what: string) =>
  z
    .uuid({ error: `${name} must be an id` })
    .meta({ description: `The agents that this ${what} is assigned to.` })
    .optional();

/** Selects agents; all given conditions must match. */
export const AgentFilter = {
  isActive: YesOrNo('isActive').optional(),
  articleId: idFilter('articleId', 'article'),
  playbookId: idFilter('playbookId', 'playbook'),
  toolId: idFilter('toolId', 'tool'),
};

export const agentCalls = versionedCalls({
  noun: 'Agent',
  feature: 'agents',
  path: '/api/agents',
  answer: Agent,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Support',
    description: 'Answers the questions of customers',
    personaConfig: {
      role: 'Support agent',
      expertise: ['Returns'],
      personality: 'Patient, precise and kind',
      responseFormat: 'concise',
      communicationStyle: 'friendly',
    },
    isActive: true,
    model: null,
    formPolicy: 'ask',
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  searched: 'the name, description, role, personality or expertise',
  filters: AgentFilter,
  readers: HISTORY_READERS,
  editors: AGENT_MANAGERS,
  create: {
    description:
      'Returns the new agent. It may use the `articles`, `playbooks` and `tools` that are sent; more can be assigned later.',
    body: AgentInput,
    example: {
      name: 'Support',
      description: 'Answers the questions of customers',
      personaConfig: {
        role: 'Support agent',
        personality: 'Patient, precise and kind',
        expertise: ['Returns'],
        communicationStyle: 'friendly',
        responseFormat: 'concise',
      },
      isActive: true,
      formPolicy: 'ask',
    },
  },
  change: {
    access: MEMBERS,
    description:
      'Changes the fields that are sent; a list of `articles`, `playbooks` or `tools` replaces the earlier one. Every member may send `isActive` alone, to pause or activate the agent; all other fields need the role AgentManager, Editor or Admin. Only an Admin can loosen `formPolicy`.',
    body: AgentChange,
    example: { description: 'Answers questions about returns', isActive: false },
  },
  deleteNote: 'Its tasks stay readable.',
  restoreNote: '`formPolicy` stays.',
  refusals: [FormPolicyNeedsAdmin],
});
export const {
  list: listAgents,
  get: getAgent,
  create: createAgent,
  change: changeAgent,
  remove: deleteAgent,
  restore: restoreAgent,
  history: getAgentHistory,
} = agentCalls;

const agentId = z.strictObject({ id: Id });
const assignmentsExample: Assignments = {
  articles: ['0193a1b2-0000-7000-8000-000000000001'],
  playbooks: ['0193a1b2-0000-7000-8000-000000000002'],
  tools: ['0193a1b2-0000-7000-8000-000000000003'],
  version: 1,
};

export const assignResources = endpoint({
  name: 'assignResources',
  method: 'POST',
  path: '/api/agents/{id}/assign',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Assign resources to an agent',
  description:
    'Sets the articles, playbooks and tools that the agent may use. The lists replace the earlier ones. `If-Match` takes the `ETag` of the assignments.',
  params: agentId,
  body: z.strictObject({
    articles: resourceLists.articles.default([]),
    playbooks: resourceLists.playbooks.default([]),
    tools: resourceLists.tools.default([]),
  }),
  example: { articles: ['0193a1b2-0000-7000-8000-000000000001'], playbooks: [], tools: [] },
  status: 200,
  answer: Assignments,
  answerExample: assignmentsExample,
  hasEtag: true,
  takesIfMatch: true,
});
export const getAssignments = endpoint({
  name: 'getAssignments',
  method: 'GET',
  path: '/api/agents/{id}/assignments',
  access: MEMBERS,
  feature: 'agents',
  summary: 'Retrieve the resources of an agent',
  description: 'Returns the ids of the articles, playbooks and tools that the agent may use.',
  params: agentId,
  status: 200,
  answer: Assignments,
  answerExample: assignmentsExample,
  hasEtag: true,
});

/** Up to so many agents in one request. */
export const SUMMARIES_MAX = 100;

const Resource = z.object({ id: Id, name: z.string() });

/** What an agent may use, what it has done and what that cost. */
export const AgentSummary = z.object({
  agentId: Id,
  articles: z.array(Resource),
  playbooks: z.array(Resource),
  tools: z.array(Resource),
  /** `open`: queued or running. */
  tasks: z.object({ success: z.int(), failed: z.int(), cancelled: z.int(), open: z.int() }),
  /** When its last task or session was started. */
  lastRunAt: Instant.nullable(),
  /** Credits charged minus credits refunded. Days are in UTC, and today is one of the 30. */
  credits: z.object({ last30Days: z.int(), total: z.int() }),
  /** Of its tasks, sessions and chats, by the same days. */
  modelCost: z.object({ last30Days: ModelCost, total: ModelCost }),
});
export type AgentSummary = z.infer<typeof AgentSummary>;

export const listAgentSummaries = endpoint({
  name: 'listAgentSummaries',
  method: 'GET',
  path: '/api/agents/summaries',
  access: MEMBERS,
  feature: 'agents',
  summary: 'List summaries of agents',
  description:
    'Returns what each of the agents may use, what it has done and what that cost, in the order of `ids`. Unknown and deleted agents are left out.',
  query: z.strictObject({ ids: IdList(SUMMARIES_MAX, 'The agents') }),
  status: 200,
  answer: z.array(AgentSummary),
  answerExample: [
    {
      agentId: '0193a1b2-0000-7000-8000-000000000001',
      articles: [{ id: '0193a1b2-0000-7000-8000-000000000002', name: 'Returns' }],
      playbooks: [],
      tools: [],
      tasks: { success: 12, failed: 1, cancelled: 0, open: 0 },
      lastRunAt: '2027-01-31T09:30:00.000Z',
      credits: { last30Days: 5, total: 12 },
      modelCost: {
        last30Days: { calls: 7, estimatedCalls: 0, unpricedCalls: 0, costMicros: 4_210 },
        total: { calls: 19, estimatedCalls: 0, unpricedCalls: 2, costMicros: 11_640 },
      },
    },
  ],
});
