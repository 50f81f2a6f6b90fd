import type { ModelChoice } from '@tallyhand/contracts/features/agents/agents.fields';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import {
  creditsOfWork,
  type ModelCredits,
} from '@tallyhand/contracts/features/models/model-credits.endpoints';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import type { ConnectionFields } from './connection.decider.ts';

/** Credits for a piece of work with the model that an agent has chosen. */
export type WorkPrice = (
  kind: WorkKind,
  organizationId: string,
  chosen: ModelChoice | null,
) => Promise<number>;

export const workPriceOf =
  (
    prices: ModelCredits,
    connections: Pick<VersionedObjects<ConnectionFields>, 'find'>,
  ): WorkPrice =>
  async (kind, organizationId, chosen) => {
    const id = chosen?.connectionId;
    const found = id ? await connections.find(id, organizationId) : null;
    const known = found ? [{ id: found.id, models: found.fields.models }] : [];
    return creditsOfWork(kind, prices, chosen, known);
  };
