import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useListAgentsQuery } from './agents.api.ts';

/** The version that an agent has by now, which may be newer than the one that was opened. */
export function useAgentVersion({ id, version }: Agent): number {
  const { data } = useListAgentsQuery();
  return data?.find((agent) => agent.id === id)?.version ?? version;
}
