import { listNotifications } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { readNotifications } from '@tallyhand/read-models/features/notifications/notifications.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute } from '../../kernel/route.ts';

export function notificationsRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listNotifications, { allow: 'member', read: readNotifications });
}
