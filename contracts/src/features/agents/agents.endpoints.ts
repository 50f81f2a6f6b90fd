import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { YesOrNo } from '../../kernel/lists.ts';
import { versionedCalls } from '../../kernel/versioned-object.ts';
import {
  AgentChange,
  AgentInput,
  COMMUNICATION_STYLES,
  RESPONSE_FORMATS,
  resourceLists,
} from './agents.fields.ts';

export const Agent = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  personaConfig: z.object({
    role: z.string(),
    personality: z.string(),
    expertise: z.array(z.string()),
    communicationStyle: z.enum(COMMUNICATION_STYLES),
    responseFormat: z.enum(RESPONSE_FORMATS),
  }),
  isActive: z.boolean(),
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
});
export type Assignments = z.infer<typeof Assignments>;

const idFilter = (name: string, what: string) =>
  z
    .uuid({ error: `${name} must be an id` })
    .meta({ description: `The agents that this ${what} is assigned to.` })
    .optional();

export const {
  list: listAgents,
  get: getAgent,
  create: createAgent,
  change: changeAgent,
  remove: deleteAgent,
  restore: restoreAgent,
  history: getAgentHistory,
} = versionedCalls({
  noun: 'Agent',
  feature: 'agents',
  path: '/api/agents',
  answer: Agent,
  searched: 'the name, description, role, personality or expertise',
  filters: {
    isActive: YesOrNo('isActive').optional(),
    articleId: idFilter('articleId', 'article'),
    playbookId: idFilter('playbookId', 'playbook'),
    toolId: idFilter('toolId', 'tool'),
  },
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
    },
  },
  change: {
    access: MEMBERS,
    description:
      'Changes the fields that are sent; a list of `articles`, `playbooks` or `tools` replaces the earlier one. Every member may send `isActive` alone, to pause or activate the agent; all other fields need the role AgentManager, Editor or Admin.',
    body: AgentChange,
    example: { description: 'Answers questions about returns', isActive: false },
  },
  deleteNote: 'Its tasks stay readable.',
});

const agentId = z.strictObject({ id: Id });
export const assignResources = endpoint({
  name: 'assignResources',
  method: 'POST',
  path: '/api/agents/{id}/assign',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Assign resources to an agent',
  description:
    'Sets the articles, playbooks and tools that the agent may use. The lists replace the earlier ones.',
  params: agentId,
  body: z.strictObject({
    articles: resourceLists.articles.default([]),
    playbooks: resourceLists.playbooks.default([]),
    tools: resourceLists.tools.default([]),
  }),
  example: { articles: ['0193a1b2-0000-7000-8000-000000000001'], playbooks: [], tools: [] },
  status: 200,
  answer: Assignments,
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
});
