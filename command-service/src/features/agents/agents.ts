import type { Kit } from '../../kit/app.ts';
import { streamsOf } from '../../kit/streams.ts';
import { agentDecider, type ExistingAgent, presentAgent } from './agent.decider.ts';

/** Agents as other features look them up. */
export type Agents = {
  /** Null when it is another organization's, deleted, or not there. */
  find(id: string, organizationId: string): Promise<ExistingAgent | null>;
};

export function agentsOf(kit: Kit): Agents {
  const agents = streamsOf(agentDecider, kit.streams);
  return {
    find: async (id, organizationId) => presentAgent(await agents.load(id), organizationId),
  };
}
