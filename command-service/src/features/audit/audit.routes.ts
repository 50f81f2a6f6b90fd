import { startAuditExport } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { FastifyInstance } from 'fastify';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import { newestKnown } from '../../kit/newest-known.ts';
import { route } from '../../kit/route.ts';
import { requestExport } from './audit-exports.ts';

/** Each reads the whole log. */
const LIMIT = { max: 20, timeWindow: '1 hour' };

export function auditRoutes(
  app: FastifyInstance,
  context: { readonly kit: Kit; readonly boss: PgBoss },
) {
  const options = { limit: LIMIT };
  const { kit } = context;
  route(app, kit, startAuditExport, options, async (call) => {
    const asked = { wanted: call.body, known: newestKnown(kit, call.reply.request) };
    return requestExport(context, call.caller, call.context, asked);
  });
}
