import { listTickets } from '@tallyhand/contracts/features/support/support.endpoints';
import { readTickets } from '@tallyhand/read-models/features/support/support.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute } from '../../kernel/route.ts';

export function supportRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listTickets, { read: readTickets });
}
