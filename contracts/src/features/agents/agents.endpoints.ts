import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { AsOf, AsOfQuery } from '../../kernel/as-of.ts';
import { NoSuchVersion, NotDeleted } from '../../kernel/change-refusals.ts';
import { HistoryEntry, RestoreInput } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import {
  AgentChange,
  AgentInput,
  ASSIGNMENTS_MAX,
  COMMUNICATION_STYLES,
  RESPONSE_FORMATS,
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
});
export type Agent = z.infer<typeof Agent>;

const ids = (what: string) =>
  z
    .array(Id, { error: `${what} must be a list of ids` })
    .max(ASSIGNMENTS_MAX, `At most ${ASSIGNMENTS_MAX} ${what}`)
    .transform((list) => [...new Set(list)])
    .default([]);

/** Ids of the articles, playbooks and tools that an agent may use. */
export const Assignments = z.object({
  articles: z.array(Id),
  playbooks: z.array(Id),
  tools: z.array(Id),
});
export type Assignments = z.infer<typeof Assignments>;

const agentId = z.strictObject({ id: Id });

export const listAgents = endpoint({
  name: 'listAgents',
  method: 'GET',
  path: '/api/agents',
  access: MEMBERS,
  feature: 'agents',
  summary: 'The agents of the organization, newest first',
  query: Page.extend({ asOf: AsOf }),
  status: 200,
  answer: z.array(Agent),
});
export const getAgent = endpoint({
  name: 'getAgent',
  method: 'GET',
  path: '/api/agents/{id}',
  access: MEMBERS,
  feature: 'agents',
  summary: 'One agent',
  params: agentId,
  query: AsOfQuery,
  status: 200,
  answer: Agent,
});
export const createAgent = endpoint({
  name: 'createAgent',
  method: 'POST',
  path: '/api/agents',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Create an agent',
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
  status: 201,
  answer: Agent,
});
export const changeAgent = endpoint({
  name: 'changeAgent',
  method: 'PUT',
  path: '/api/agents/{id}',
  access: MEMBERS,
  feature: 'agents',
  summary: 'Change an agent; `isActive` alone may be sent by every member',
  params: agentId,
  body: AgentChange,
  example: { description: 'Answers questions about returns', isActive: false },
  status: 200,
  answer: Agent,
});
export const deleteAgent = endpoint({
  name: 'deleteAgent',
  method: 'DELETE',
  path: '/api/agents/{id}',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Delete an agent; its tasks stay readable',
  params: agentId,
  status: 204,
});
export const restoreAgent = endpoint({
  name: 'restoreAgent',
  method: 'POST',
  path: '/api/agents/{id}/restore',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Take the deletion of an agent back, or make an older version the newest',
  params: agentId,
  body: RestoreInput,
  example: { version: 1 },
  status: 200,
  answer: Agent,
  refusals: [NotDeleted, NoSuchVersion],
});
export const getAgentHistory = endpoint({
  name: 'getAgentHistory',
  method: 'GET',
  path: '/api/agents/{id}/history',
  access: MEMBERS,
  feature: 'agents',
  summary: 'Who changed an agent, when, and what; newest first',
  params: agentId,
  query: Page,
  status: 200,
  answer: z.array(HistoryEntry),
});
export const assignResources = endpoint({
  name: 'assignResources',
  method: 'POST',
  path: '/api/agents/{id}/assign',
  access: AGENT_MANAGERS,
  feature: 'agents',
  summary: 'Set what an agent may use; the lists replace those before',
  params: agentId,
  body: z.strictObject({
    articles: ids('articles'),
    playbooks: ids('playbooks'),
    tools: ids('tools'),
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
  summary: 'What an agent may use',
  params: agentId,
  status: 200,
  answer: Assignments,
});
