import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useEffect } from 'react';
import { useGetAsOfQuery, useListHistoryInfiniteQuery } from '../audit/audit.api.ts';

/** A version of the agent as it was; undefined until it is known. */
export function useAgentVersion(agent: Agent, version: number): Agent | undefined {
  const { id } = agent;
  const isCurrent = version === agent.version;
  const history = useListHistoryInfiniteQuery({ kind: 'agents', id }, { skip: isCurrent });
  const { currentData: pages, hasNextPage, isFetching, isError, fetchNextPage } = history;
  const entries = pages?.pages.flatMap((page) => page.entries) ?? [];
  const sequence = entries.find((entry) => entry.version === version)?.sequence ?? null;
  const isOlder = !isCurrent && sequence === null && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (isOlder) void fetchNextPage();
  }, [isOlder, fetchNextPage]);
  const { currentData } = useGetAsOfQuery(
    { kind: 'agents', id, asOf: String(sequence) },
    { skip: isCurrent || sequence === null },
  );
  if (isCurrent) return agent;
  return sequence === null ? undefined : (currentData as Agent | undefined);
}
