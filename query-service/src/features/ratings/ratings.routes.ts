import { getAgentRatings } from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { readAgentRatings } from '@tallyhand/read-models/features/ratings/ratings.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute } from '../../kernel/route.ts';

export function ratingsRoutes(app: FastifyInstance, context: QueryContext) {
  oneRoute(app, context, getAgentRatings, readAgentRatings, { what: 'agent' });
}
