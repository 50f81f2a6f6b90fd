import { playbookCalls } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { playbooks } from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function playbooksRoutes(app: FastifyInstance, context: QueryContext) {
  versionedObjectRoutes(app, context, playbooks, playbookCalls);
}
