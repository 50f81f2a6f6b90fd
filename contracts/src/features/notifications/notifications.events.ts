import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { event } from '../../kernel/messages.ts';

const person = { userId: Id, organizationId: Id };

/** On `user-{id}`, as all that one person does for themselves: these, or all of before a moment. */
export const NotificationsRead = event('NotificationsRead', {
  ...person,
  ids: z.array(Id),
  /** Everything up to it is read too; null where only the ids are. */
  until: Instant.nullable(),
});
/** On `user-{id}`: what somebody wants to hear of from now on. */
export const NotificationPreferencesChanged = event('NotificationPreferencesChanged', {
  ...person,
  emailNotifications: z.boolean(),
  agentStatusUpdates: z.boolean(),
  creditBalanceAlerts: z.boolean(),
});
