import { noteObservations } from '@tallyhand/contracts/features/audit/observations.endpoints';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import type { FastifyInstance } from 'fastify';
import { internalRoute } from '../../kit/internal-route.ts';

/** Where the services that only read tell what they leave behind. */
export function observationsRoutes(
  app: FastifyInstance,
  observe: (observation: Observation) => void,
) {
  internalRoute(app, noteObservations, async ({ body }) => {
    for (const observation of body.observations) observe(observation);
    return undefined;
  });
}
