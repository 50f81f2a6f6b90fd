import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { event } from '../../kernel/messages.ts';

const person = { userId: Id, organizationId: Id };

/** On `user-{id}`, like all personal settings: marks these, or all up to a moment, as read. */
export const NotificationsRead = event('NotificationsRead', {
  ...person,
  ids: z.array(Id),
  /** Everything up to this moment is read too; null if only the ids are. */
  until: Instant.nullable(),
});
/** On `user-{id}`: which notifications the member wants from now on. */
export const NotificationPreferencesChanged = event('NotificationPreferencesChanged', {
  ...person,
  emailNotifications: z.boolean(),
  agentStatusUpdates: z.boolean(),
  creditBalanceAlerts: z.boolean(),
});
