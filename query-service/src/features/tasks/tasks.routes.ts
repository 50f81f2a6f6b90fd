import {
  getTask,
  getTaskStats,
  listTasks,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  readTask,
  readTaskStats,
  readTasks,
} from '@tallyhand/read-models/features/tasks/tasks.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function tasksRoutes(app: FastifyInstance, context: QueryContext) {
  const values = ({ id }: { id: string }) => ({ id });
  listRoute(app, context, listTasks, { allow: 'member', read: readTasks });
  const stats = { allow: 'member', read: readTaskStats, values: () => ({}) } as const;
  oneRoute(app, context, getTaskStats, stats);
  oneRoute(app, context, getTask, { allow: 'member', read: readTask, values });
}
