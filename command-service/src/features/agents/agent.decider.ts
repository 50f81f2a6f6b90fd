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
import type { PersonaConfig } from '@tallyhand/contracts/features/agents/agents.fields';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import {
  presentIn,
  type Versioned,
  type VersionedDecider,
  versionedDecider,
  versionedStream,
} from '../../kit/versioned-object.decider.ts';

/** The resources of an agent, by id. */
export type Resources = {
  readonly articles: string[];
  readonly playbooks: string[];
  readonly tools: string[];
};

/** `isActive` and `resources` change without a new version. */
export type AgentFields = {
  readonly name: string;
  readonly description: string;
  readonly persona: PersonaConfig;
  readonly isActive: boolean;
  /** Absent until some are assigned. */
  readonly resources?: Resources;
};

/** Replaces the assigned resources. */
export type AssignResources = EventValue<
  'AssignResources',
  Resources & { readonly organizationId: string }
>;

type Agent = Versioned<AgentFields>;

export const NO_RESOURCES: Resources = { articles: [], playbooks: [], tools: [] };

const events = {
  created: AgentCreated,
  changed: AgentChanged,
  deleted: AgentDeleted,
  restored: AgentRestored,
};
const versioned = versionedDecider<AgentFields, AgentEvent>('agent', events, [
  'isActive',
  'resources',
]);

function assign({ organizationId, ...resources }: AssignResources['data'], agent: Agent | null) {
  const present = presentIn(agent, organizationId);
  if (!present) return NotFound({ what: 'agent' });
  const { id: agentId, fields } = present;
  const isSame = canonicalJson(resources) === canonicalJson(fields.resources ?? NO_RESOURCES);
  return isSame ? [] : [AgentResourcesAssigned({ agentId, organizationId, ...resources })];
}

function activate({ id: agentId, organizationId, fields }: Agent, isActive?: boolean) {
  if (isActive === undefined || isActive === fields.isActive) return [];
  const event = isActive ? AgentActivated : AgentPaused;
  return [event({ agentId, organizationId })];
}

export const agentDecider: VersionedDecider<AgentFields, AgentEvent, AssignResources> = {
  initialState: versioned.initialState,
  decide(command, agent) {
    if (command.type === 'AssignResources') return assign(command.data, agent);
    if (command.type !== 'Change') return versioned.decide(command, agent);
    const { isActive, ...change } = command.data.change;
    const changed = versioned.decide({ ...command, data: { ...command.data, change } }, agent);
    return isRefusal(changed) || !agent ? changed : [...changed, ...activate(agent, isActive)];
  },
  evolve(agent, event, at) {
    const withFields = (fields: Partial<AgentFields>) =>
      agent && { ...agent, fields: { ...agent.fields, ...fields } };
    switch (event.type) {
      case 'AgentPaused':
        return withFields({ isActive: false });
      case 'AgentActivated':
        return withFields({ isActive: true });
      case 'AgentResourcesAssigned': {
        const { articles, playbooks, tools } = event.data;
        return withFields({ resources: { articles, playbooks, tools } });
      }
      case 'AgentCreated':
      case 'AgentChanged':
      case 'AgentDeleted':
      case 'AgentRestored':
        return versioned.evolve(agent, event, at);
    }
  },
};

export const agentStream = versionedStream('agent', agentDecider, agentEvents);
