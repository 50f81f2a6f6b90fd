import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import type { AgentFields, AssignResources } from './agent.decider.ts';

/** An agent with its resources. */
type FoundAgent = AgentFields & { readonly version: number };

type Agents = Pick<VersionedObjects<AgentFields, AssignResources>, 'find' | 'findVersion'>;

/** Null for a deleted agent, another organization's, or an unknown id. */
export type FindAgent = (
  agentId: string,
  organizationId: string,
  since?: Position,
) => Promise<FoundAgent | null>;

export const agentFinder =
  (agents: Agents): FindAgent =>
  async (agentId, organizationId, since) => {
    const agent = await agents.find(agentId, organizationId, since);
    return agent && { ...agent.fields, version: agent.version };
  };

/** The agent with the fields of one of its versions, and the resources of today. */
export type FindAgentVersion = (
  agentId: string,
  organizationId: string,
  version: number,
  since?: Position,
) => Promise<FoundAgent | null>;

export const agentVersionFinder =
  (agents: Agents): FindAgentVersion =>
  async (agentId, organizationId, version, since) => {
    const [present, then] = await Promise.all([
      agents.find(agentId, organizationId, since),
      agents.findVersion(agentId, organizationId, version, since),
    ]);
    if (!present || !then) return null;
    const { isActive, articles, playbooks, tools } = present.fields;
    return { ...then.fields, isActive, articles, playbooks, tools, version };
  };
