import type { NotificationPreferences } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type PreferenceChange, userStream } from './user.decider.ts';

type OfPerson = { readonly userId: string; readonly organizationId: string };
type Read = { readonly ids: readonly string[]; readonly until: string | null };

/** What people have read, and what they want to be told of: it stands on their own streams. */
export function ownNotificationsOf({ streams }: Pick<Kit, 'streams'>) {
  const users = streams.of(userStream);

  async function send(
    context: CommandContext,
    userId: string,
    command: Parameters<typeof users.send>[1],
  ) {
    return (await users.send(userId, command, context)).state;
  }

  return {
    async markRead(context: CommandContext, { userId, organizationId }: OfPerson, read: Read) {
      const data = { userId, organizationId, ids: [...read.ids], until: read.until };
      await send(context, userId, { type: 'ReadNotifications', data });
    },
    async changePreferences(
      context: CommandContext,
      { userId, organizationId }: OfPerson,
      change: PreferenceChange,
    ): Promise<NotificationPreferences> {
      const data = { userId, organizationId, change };
      const state = await send(context, userId, { type: 'ChangeNotificationPreferences', data });
      return state.preferences;
    },
  };
}
