import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import { readLedgerEntries } from '@tallyhand/read-models/features/credits/credits.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute } from '../../kernel/route.ts';

export function creditsRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listLedgerEntries, { allow: ADMINS, read: readLedgerEntries });
}
