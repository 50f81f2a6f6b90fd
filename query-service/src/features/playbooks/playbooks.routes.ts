import {
  getPlaybook,
  getPlaybookHistory,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { playbooks } from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { versionedObjectRoutes } from '../../kernel/versioned-objects.ts';

export function playbooksRoutes(app: FastifyInstance, context: QueryContext) {
  const endpoints = { list: listPlaybooks, one: getPlaybook, history: getPlaybookHistory };
  versionedObjectRoutes(app, context, playbooks, endpoints);
}
