import { listDeletions } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { readDeletions } from '@tallyhand/read-models/features/audit/history.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { pageOf, route } from '../../kernel/route.ts';

export function historyRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listDeletions, (call) =>
    pageOf(call, listDeletions.path, (page) =>
      call.read(readDeletions, { kind: call.query.kind ?? null, ...page }),
    ),
  );
}
