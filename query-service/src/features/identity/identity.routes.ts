import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { readCurrentUser } from '@tallyhand/read-models/features/team/team.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute } from '../../kernel/route.ts';

export function identityRoutes(app: FastifyInstance, context: QueryContext) {
  oneRoute(app, context, getCurrentUser, {
    allow: 'member',
    what: 'account',
    read: readCurrentUser,
    values: () => ({}),
  });
}
