import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { creditsOfWork } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { useGetModelCreditsQuery, useListConnectionsQuery } from './models.api.ts';

type Chosen = Pick<AgentModel, 'connectionId' | 'model'> | null;

/** Credits for a piece of work with the model that an agent has chosen; undefined until they are known. */
export function useWorkPrice(kind: WorkKind, chosen: Chosen): number | undefined {
  const { data: prices } = useGetModelCreditsQuery();
  const hasConnection = Boolean(chosen?.connectionId);
  const { data: connections } = useListConnectionsQuery(undefined, { skip: !hasConnection });
  if (!prices || (hasConnection && !connections)) return undefined;
  return creditsOfWork(kind, prices, chosen, connections ?? []);
}
