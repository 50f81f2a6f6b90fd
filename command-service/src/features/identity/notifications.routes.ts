import {
  changeNotificationPreferences,
  markNotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { route } from '../../kit/route.ts';
import { userStream } from './user.decider.ts';

/** What members have read, and which notifications they want, is on their own streams. */
export function notificationsRoutes(app: FastifyInstance, kit: Kit) {
  const users = kit.streams.of(userStream);

  route(app, kit, markNotificationsRead, async ({ body, caller, context }) => {
    const { userId, organizationId } = caller;
    const until = body.all ? notAfter(context.now, body.until) : null;
    const data = { userId, organizationId, ids: [...(body.ids ?? [])], until };
    await users.send(userId, { type: 'ReadNotifications', data }, context);
    return undefined;
  });
  route(app, kit, changeNotificationPreferences, async ({ body, caller, context }) => {
    const { userId, organizationId } = caller;
    const data = { userId, organizationId, change: body };
    const command = { type: 'ChangeNotificationPreferences', data } as const;
    return (await users.send(userId, command, context)).state.preferences;
  });
}

/** Future notifications can't be marked as read. */
function notAfter(now: Date, until: string | undefined): string {
  const asked = until === undefined ? now : new Date(until);
  return (asked < now ? asked : now).toISOString();
}
