import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

const Persona = z.object({
  role: z.string(),
  personality: z.string(),
  expertise: z.array(z.string()),
  communicationStyle: z.enum(['formal', 'casual', 'friendly', 'professional']),
  responseFormat: z.enum(['detailed', 'concise', 'structured', 'conversational']),
});

const agent = { agentId: Id, organizationId: Id };

/** On `agent-{id}`. `version` is 1 at creation and grows by one with each change of the texts. */
export const AgentCreated = event('AgentCreated', {
  ...agent,
  version: z.int(),
  name: z.string(),
  description: z.string(),
  persona: Persona,
  isActive: z.boolean(),
});
/** Contains only changed fields. */
export const AgentChanged = event('AgentChanged', {
  ...agent,
  version: z.int(),
  name: z.string().optional(),
  description: z.string().optional(),
  persona: Persona.optional(),
  /** The version whose texts were restored. */
  restoredFrom: z.int().optional(),
});
export const AgentPaused = event('AgentPaused', agent);
export const AgentActivated = event('AgentActivated', agent);
export const AgentDeleted = event('AgentDeleted', agent);
export const AgentRestored = event('AgentRestored', agent);
export const AgentResourcesAssigned = event('AgentResourcesAssigned', {
  ...agent,
  articles: z.array(Id),
  playbooks: z.array(Id),
  tools: z.array(Id),
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
