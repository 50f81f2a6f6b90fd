import {
  countUnreadNotifications,
  getNotificationPreferences,
  listNotifications,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import {
  readNotificationPreferences,
  readNotifications,
  readUnreadNotifications,
} from '@tallyhand/read-models/features/notifications/notifications.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { pageAfter } from '../../kernel/paging.ts';
import { listRoute, oneRoute, route } from '../../kernel/route.ts';

export function notificationsRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listNotifications, { read: readNotifications });
  route(app, context, countUnreadNotifications, ({ read }) =>
    read(readUnreadNotifications, pageAfter(null, LIST_LENGTH_MAX)),
  );
  oneRoute(app, context, getNotificationPreferences, readNotificationPreferences);
}
