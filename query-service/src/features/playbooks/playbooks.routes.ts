import {
  getPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  readPlaybook,
  readPlaybooks,
} from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function playbooksRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  listRoute(app, context, listPlaybooks, { allow: 'member', read: readPlaybooks });
  oneRoute(app, context, getPlaybook, { allow: 'member', read: readPlaybook, values });
}
