import {
  countUnreadNotifications,
  getNotificationPreferences,
  listNotifications,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  readNotificationPreferences,
  readNotifications,
  readUnreadNotifications,
} from '@tallyhand/read-models/features/notifications/notifications.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, oneRoute } from '../../kernel/route.ts';

export function notificationsRoutes(app: FastifyInstance, context: QueryContext) {
  const own = { allow: 'member', values: () => ({}) } as const;
  listRoute(app, context, listNotifications, { allow: 'member', read: readNotifications });
  oneRoute(app, context, countUnreadNotifications, { ...own, read: readUnreadNotifications });
  oneRoute(app, context, getNotificationPreferences, { ...own, read: readNotificationPreferences });
}
