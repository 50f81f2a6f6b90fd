import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { Kit } from '../../kit/app.ts';
import { streamsOf } from '../../kit/streams.ts';
import { agentDecider, type ExistingAgent, presentAgent } from './agent.decider.ts';

/** Agents as other features look them up. */
export type Agents = {
  /**
   * Null when it is another organization's, deleted, or not there. With `since` the agent may be
   * as it was then.
   */
  find(id: string, organizationId: string, since?: Position): Promise<ExistingAgent | null>;
};

export function agentsOf(kit: Kit): Agents {
  const agents = streamsOf(agentDecider, kit.streams);
  return {
    find: async (id, organizationId, since) =>
      presentAgent(await agents.load(id, since), organizationId),
  };
}
