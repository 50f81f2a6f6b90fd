import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { ledgerRoutes } from './ledger.routes.ts';
import { paymentsRoutes } from './payments.routes.ts';
import { receiptsRoutes } from './receipts.routes.ts';
import { usageRoutes } from './usage.routes.ts';

export function creditsRoutes(app: FastifyInstance, context: QueryContext) {
  ledgerRoutes(app, context);
  usageRoutes(app, context);
  paymentsRoutes(app, context);
  receiptsRoutes(app, context);
}
