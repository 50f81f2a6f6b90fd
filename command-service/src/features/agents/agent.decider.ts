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
import { type FormPolicy, loosensForms } from '@tallyhand/contracts/features/agents/agents.fields';
import { FormPolicyNeedsAdmin } from '@tallyhand/contracts/features/agents/agents.refusals';
import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import type { EventOf, EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { VersionChanged } from '@tallyhand/contracts/kernel/versioned-object';
import { canonicalJson } from '@tallyhand/service-kit/crypto/hash-chain';
import {
  presentIn,
  type Versioned,
  type VersionedDecider,
  versionedDecider,
  versionedStream,
} from '../../kit/versioned-object.decider.ts';

type Created = EventOf<typeof AgentCreated>['data'];

/** `isActive` and resources alone change without a new version. */
export type AgentFields = Readonly<Omit<Created, 'agentId' | 'organizationId' | 'version'>> & {
  /** How often its resources were changed; absent before the first time. */
  readonly assignmentsVersion?: number;
};

/** The resources of an agent, by id. */
export type Resources = Pick<AgentFields, 'articles' | 'playbooks' | 'tools'>;

/** Replaces the assigned resources. */
export type AssignResources = EventValue<
  'AssignResources',
  Resources & {
    readonly organizationId: string;
    /** The entity tags of the assignments that may be replaced; absent for any. */
    readonly ifMatch?: readonly string[] | undefined;
  }
>;

type Agent = Versioned<AgentFields>;

const events = {
  created: AgentCreated,
  changed: AgentChanged,
  deleted: AgentDeleted,
  restored: AgentRestored,
};
const versioned = versionedDecider<AgentFields, AgentEvent>('agent', events, [
  'isActive',
  'articles',
  'playbooks',
  'tools',
  'formPolicy',
  'assignmentsVersion',
]);

/** What an agent may use, with the version of that. */
export const assignmentsOf = (fields: AgentFields) => ({
  ...resourcesOf(fields),
  version: fields.assignmentsVersion ?? 0,
});

const resourcesOf = ({ articles, playbooks, tools }: Resources) => ({ articles, playbooks, tools });

function assign({ id: agentId, organizationId, fields }: Agent, sent: Partial<Resources>) {
  const resources = resourcesOf({ ...fields, ...sent });
  const isSame = canonicalJson(resources) === canonicalJson(resourcesOf(fields));
  return isSame ? [] : [AgentResourcesAssigned({ agentId, organizationId, ...resources })];
}

function activate({ id: agentId, organizationId, fields }: Agent, isActive?: boolean) {
  if (isActive === undefined || isActive === fields.isActive) return [];
  const event = isActive ? AgentActivated : AgentPaused;
  return [event({ agentId, organizationId })];
}

const hasResources = ({ articles, playbooks, tools }: Partial<Resources>) =>
  articles !== undefined || playbooks !== undefined || tools !== undefined;

function reassigned(agent: Agent | null): Agent | null {
  if (!agent) return null;
  const assignmentsVersion = assignmentsOf(agent.fields).version + 1;
  return { ...agent, fields: { ...agent.fields, assignmentsVersion } };
}

/** Why a member with the role may not set this. `present`: the policy before; null if there was none. */
export const formPolicyRefused = (
  role: Role | undefined,
  present: FormPolicy | null | undefined,
  next: FormPolicy | undefined,
) =>
  next && role && role !== 'Admin' && loosensForms(present, next) ? FormPolicyNeedsAdmin({}) : null;

export const agentDecider: VersionedDecider<
  AgentFields,
  AgentEvent,
  AssignResources,
  RefusalOf<typeof FormPolicyNeedsAdmin>
> = {
  initialState: versioned.initialState,
  decide(command, agent) {
    if (command.type === 'AssignResources') {
      const { organizationId, ifMatch } = command.data;
      const present = presentIn(agent, organizationId);
      if (!present) return NotFound({ what: 'agent' });
      const { version } = assignmentsOf(present.fields);
      const etag = entityTag({ version });
      if (ifMatch && !ifMatch.includes(etag)) {
        return VersionChanged({ what: 'assignment', version, etag });
      }
      return assign(present, resourcesOf(command.data));
    }
    if (command.type !== 'Change') return versioned.decide(command, agent);
    const { isActive, ...sent } = command.data.change;
    const { articles, playbooks, tools, ...texts } = sent;
    const changeTo = (change: Partial<AgentFields>) =>
      versioned.decide({ ...command, data: { ...command.data, change } }, agent);
    const changed = changeTo(texts);
    if (isRefusal(changed) || !agent) return changed;
    // Checked here, because another member may have changed it since the call began.
    const refused = formPolicyRefused(command.data.role, agent.fields.formPolicy, sent.formPolicy);
    if (refused) return refused;
    // Texts and resources that change together are one version.
    const events = changed.length > 0 ? changeTo(sent) : assign(agent, sent);
    return isRefusal(events) ? events : [...events, ...activate(agent, isActive)];
  },
  evolve(agent, event, at) {
    const withFields = (fields: Partial<AgentFields>) =>
      agent && { ...agent, updatedAt: at, fields: { ...agent.fields, ...fields } };
    switch (event.type) {
      case 'AgentPaused':
        return withFields({ isActive: false });
      case 'AgentActivated':
        return withFields({ isActive: true });
      case 'AgentResourcesAssigned':
        return reassigned(withFields(resourcesOf(event.data)));
      case 'AgentChanged': {
        const changed = versioned.evolve(agent, event, at);
        return hasResources(event.data) ? reassigned(changed) : changed;
      }
      case 'AgentCreated':
      case 'AgentDeleted':
      case 'AgentRestored':
        return versioned.evolve(agent, event, at);
    }
  },
};

export const agentStream = versionedStream('agent', agentDecider, agentEvents);
