import {
  AgentActivated,
  AgentChanged,
  AgentCreated,
  AgentDeleted,
  type AgentEvent,
  AgentPaused,
  AgentResourcesAssigned,
  AgentRestored,
  agentEvents,
} from '@tallyhand/contracts/features/agents/agents.events';
import type {
  AgentChange,
  PersonaConfig,
} from '@tallyhand/contracts/features/agents/agents.fields';
import { NotDeleted } from '@tallyhand/contracts/kernel/change-refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Decider } from '../../kit/decider.ts';

type Own = { readonly organizationId: string };
type Assigned = {
  readonly articles: string[];
  readonly playbooks: string[];
  readonly tools: string[];
};

type AgentCommand =
  | EventValue<'CreateAgent', Omit<Parameters<typeof AgentCreated>[0], 'version'>>
  | EventValue<'ChangeAgent', Own & { readonly change: AgentChange }>
  | EventValue<'DeleteAgent', Own>
  /** `older`: what a version held that becomes the newest. */
  | EventValue<'RestoreAgent', Own & { readonly older?: AgentTexts & { readonly version: number } }>
  | EventValue<'AssignResources', Own & Assigned>;

type AgentTexts = {
  readonly name: string;
  readonly description: string;
  readonly persona: PersonaConfig;
};

export type ExistingAgent = AgentTexts & {
  readonly agentId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  readonly assigned: Assigned;
  readonly createdAt: string;
};

export type Agent = ExistingAgent | null;

/** What the organization may see of it: null when it is another's, deleted, or not there. */
export const presentAgent = (agent: Agent, organizationId: string) =>
  agent && agent.organizationId === organizationId && !agent.isDeleted ? agent : null;

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Only what really changes becomes an event. */
function changeTexts(agent: ExistingAgent, wanted: Partial<AgentTexts>, restoredFrom?: number) {
  const { agentId, organizationId, version } = agent;
  const { name, description, persona } = wanted;
  const texts = {
    ...(name !== undefined && name !== agent.name ? { name } : {}),
    ...(description !== undefined && description !== agent.description ? { description } : {}),
    ...(persona && !same(persona, agent.persona) ? { persona } : {}),
  };
  if (Object.keys(texts).length === 0) return [];
  const from = restoredFrom === undefined ? {} : { restoredFrom };
  return [AgentChanged({ agentId, organizationId, version: version + 1, ...texts, ...from })];
}

function change(agent: ExistingAgent, { personaConfig, isActive, ...texts }: AgentChange) {
  const { agentId, organizationId } = agent;
  const events: AgentEvent[] = changeTexts(agent, {
    ...texts,
    ...(personaConfig ? { persona: personaConfig } : {}),
  });
  if (isActive === true && !agent.isActive)
    events.push(AgentActivated({ agentId, organizationId }));
  if (isActive === false && agent.isActive) events.push(AgentPaused({ agentId, organizationId }));
  return events;
}

function restore(
  agent: Agent,
  { organizationId, older }: Extract<AgentCommand, { type: 'RestoreAgent' }>['data'],
) {
  if (agent?.organizationId !== organizationId) return NotFound({ what: 'agent' });
  const { agentId, isDeleted } = agent;
  if (!isDeleted && !older) return NotDeleted({ what: 'agent' });
  const restored = isDeleted ? [AgentRestored({ agentId, organizationId })] : [];
  if (!older || older.version === agent.version) return restored;
  return [...restored, ...changeTexts(agent, older, older.version)];
}

function decideOnPresent(
  command: Exclude<AgentCommand, { type: 'CreateAgent' | 'RestoreAgent' }>,
  agent: ExistingAgent,
) {
  const { agentId, organizationId } = agent;
  switch (command.type) {
    case 'ChangeAgent':
      return change(agent, command.data.change);
    case 'DeleteAgent':
      return [AgentDeleted({ agentId, organizationId })];
    case 'AssignResources': {
      const { articles, playbooks, tools } = command.data;
      if (same({ articles, playbooks, tools }, agent.assigned)) return [];
      return [AgentResourcesAssigned({ agentId, organizationId, articles, playbooks, tools })];
    }
  }
}

export const agentDecider: Decider<Agent, AgentCommand, AgentEvent> = {
  category: 'agent',
  kinds: agentEvents,
  begunBy: 'CreateAgent',
  refusedOnceDone: ['DeleteAgent', 'RestoreAgent'],
  initialState: () => null,
  decide(command, agent) {
    if (command.type === 'CreateAgent') {
      return agent ? [] : [AgentCreated({ ...command.data, version: 1 })];
    }
    if (command.type === 'RestoreAgent') return restore(agent, command.data);
    const present = presentAgent(agent, command.data.organizationId);
    return present ? decideOnPresent(command, present) : NotFound({ what: 'agent' });
  },
  evolve(agent, event, at) {
    if (event.type === 'AgentCreated') {
      const assigned = { articles: [], playbooks: [], tools: [] };
      return { ...event.data, isDeleted: false, assigned, createdAt: at };
    }
    return agent && evolveExisting(agent, event);
  },
};

function evolveExisting(
  agent: ExistingAgent,
  event: Exclude<AgentEvent, { type: 'AgentCreated' }>,
): ExistingAgent {
  switch (event.type) {
    case 'AgentChanged': {
      const { version, name, description, persona } = event.data;
      return {
        ...agent,
        version,
        name: name ?? agent.name,
        description: description ?? agent.description,
        persona: persona ?? agent.persona,
      };
    }
    case 'AgentPaused':
      return { ...agent, isActive: false };
    case 'AgentActivated':
      return { ...agent, isActive: true };
    case 'AgentDeleted':
      return { ...agent, isDeleted: true };
    case 'AgentRestored':
      return { ...agent, isDeleted: false };
    case 'AgentResourcesAssigned': {
      const { articles, playbooks, tools } = event.data;
      return { ...agent, assigned: { articles, playbooks, tools } };
    }
  }
}
