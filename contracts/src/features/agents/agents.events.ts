import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { versionedEvents } from '../../kernel/versioned-object.ts';
import { AgentModel, AgentProfile, FormPolicy } from './agents.fields.ts';

/** Ids of what the agent may use. */
const resources = { articles: z.array(Id), playbooks: z.array(Id), tools: z.array(Id) };

const agent = versionedEvents(
  'Agent',
  {
    ...AgentProfile.shape,
    ...resources,
    model: AgentModel.nullable(),
    /** Absent until it is set on an agent from before version 4: all forms are sent. */
    formPolicy: FormPolicy.optional(),
  },
  // Changes of versions 1 to 3 had no resources, no model and no form policy.
  [(data) => data, (data) => data, (data) => data],
);

/** On `agent-{id}`. `isActive` belongs to no version: pausing is an event of its own. */
export const AgentCreated = event(
  'AgentCreated',
  { ...agent.created.schema.shape, isActive: z.boolean() },
  [
    (data) => ({ ...data, articles: [], playbooks: [], tools: [] }),
    (data) => ({ ...data, model: null }),
    (data) => data,
  ],
);
export const { changed: AgentChanged, deleted: AgentDeleted, restored: AgentRestored } = agent;
export const AgentPaused = event('AgentPaused', agent.own);
export const AgentActivated = event('AgentActivated', agent.own);
/** Resources that change without a text make no version. */
export const AgentResourcesAssigned = event('AgentResourcesAssigned', {
  ...agent.own,
  ...resources,
});

/** Every event of the stream, by type. */
export const agentEvents = {
  AgentCreated,
  AgentChanged,
  AgentPaused,
  AgentActivated,
  AgentDeleted,
  AgentRestored,
  AgentResourcesAssigned,
};
export type AgentEvent = EventsOf<typeof agentEvents>;
