import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import {
  creditsOfWork,
  ONE_CREDIT,
} from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { useGetModelCreditsQuery, useListConnectionsQuery } from './models.api.ts';

type Chosen = Pick<AgentModel, 'connectionId' | 'model'> | null;

/** Tells the credits for work with the model that an agent has chosen; undefined until prices are known. */
export function useWorkPrices(): ((kind: WorkKind, chosen: Chosen) => number) | undefined {
  const { data, isError } = useGetModelCreditsQuery();
  // The server charges its own price: work is not held up for a price that can't be loaded.
  const prices = data ?? (isError ? ONE_CREDIT : undefined);
  const vary = prices !== undefined && prices.models.length > 0;
  const { data: connections, isError: isUnnamed } = useListConnectionsQuery(undefined, {
    skip: !vary,
  });
  if (!prices || (vary && !connections && !isUnnamed)) return undefined;
  return (kind, chosen) => creditsOfWork(kind, prices, chosen, connections ?? []);
}

export const useWorkPrice = (kind: WorkKind, chosen: Chosen): number | undefined =>
  useWorkPrices()?.(kind, chosen);
