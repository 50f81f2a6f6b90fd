import {
  changeNotificationPreferences,
  markNotificationsRead,
  type NotificationPreferences,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import type { FastifyInstance } from 'fastify';
import type { Caller, Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';

export type NotificationsContext = {
  readonly kit: Kit;
  readonly markRead: (
    context: CommandContext,
    of: Caller,
    read: { readonly ids: readonly string[]; readonly until: string | null },
  ) => Promise<void>;
  readonly changePreferences: (
    context: CommandContext,
    of: Caller,
    change: BodyOf<typeof changeNotificationPreferences>,
  ) => Promise<NotificationPreferences>;
};

/** What people do with their own notifications. */
export function notificationsRoutes(
  app: FastifyInstance,
  { kit, markRead, changePreferences }: NotificationsContext,
) {
  route(app, kit, markNotificationsRead, async ({ body, caller, context }) => {
    const until = body.all ? notAfter(context.now, body.until) : null;
    await markRead(context, caller, { ids: body.ids ?? [], until });
    return undefined;
  });
  route(app, kit, changeNotificationPreferences, async ({ body, caller, context }) =>
    changePreferences(context, caller, body),
  );
}

/** Of what has not happened yet nothing is read. */
function notAfter(now: Date, until: string | undefined): string {
  const asked = until === undefined ? now : new Date(until);
  return (asked < now ? asked : now).toISOString();
}
