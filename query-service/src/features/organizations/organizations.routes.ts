import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { readOrganization } from '@tallyhand/read-models/features/organizations/organizations.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute } from '../../kernel/route.ts';

export function organizationsRoutes(app: FastifyInstance, context: QueryContext) {
  const options = { allow: 'member', read: readOrganization, values: () => ({}) } as const;
  oneRoute(app, context, getOrganization, options);
}
