import { z } from 'zod';
import { MEMBERS_ACCOUNT } from '../../kernel/access.ts';
import { changeOf } from '../../kernel/changes.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';

export const NOTIFICATION_KINDS = [
  'low-credits',
  'task-failed',
  'approval-needed',
  'session-ended',
  'invitation-accepted',
  'agent-status',
  'mailbox-failing',
  'payment',
  'webhook-disabled',
  'log-stream-failing',
  'tool-credentials-dropped',
] as const;

/** Older ones are not listed. */
export const NOTIFICATION_DAYS = 90;

export const Notification = z.object({
  id: Id,
  kind: z.enum(NOTIFICATION_KINDS),
  severity: z.enum(['info', 'warning', 'critical']),
  /** The sentence's parameters, such as {level, available}. */
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** The object of the notification. */
  object: z.object({ kind: z.string(), id: Id }),
  createdAt: Instant,
  readAt: Instant.nullable(),
});
export type Notification = z.infer<typeof Notification>;

/** How many one call can mark as read. */
const READ_AT_ONCE_MAX = 100;

const Read = z
  .strictObject({
    ids: z
      .array(Id, 'ids must be a list of ids')
      .min(1, 'Enter at least one')
      .max(READ_AT_ONCE_MAX, `At most ${READ_AT_ONCE_MAX} at once`)
      .optional(),
    all: z.literal(true, { error: 'Must be true' }).optional(),
    /** With `all`: the newest notification that the member saw; later ones stay unread. */
    until: z.iso
      .datetime({ offset: true, error: 'until must be a moment, as 2026-11-21T09:00:00Z' })
      .optional(),
  })
  .refine(({ ids, all }) => (ids === undefined) !== (all === undefined), {
    error: 'Give either ids or all',
    path: ['ids'],
  })
  .refine(({ until, all }) => until === undefined || all !== undefined, {
    error: 'Goes with all only',
    path: ['until'],
  });

const Switch = z.boolean({ error: 'Must be true or false' });
const switches = {
  /** Unread notifications are mailed too. */
  emailNotifications: Switch,
  agentStatusUpdates: Switch,
  creditBalanceAlerts: Switch,
};
/** All kinds are on by default. */
export const NotificationPreferences = z.object(switches);
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

export const listNotifications = endpoint({
  name: 'listNotifications',
  method: 'GET',
  path: '/api/notifications',
  access: MEMBERS_ACCOUNT,
  feature: 'notifications',
  summary: 'List notifications',
  description: `Returns the caller’s notifications of the last ${NOTIFICATION_DAYS} days, newest first.`,
  query: Page,
  status: 200,
  answer: z.array(Notification),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      kind: 'agent-status',
      severity: 'info',
      params: { status: 'paused', agentName: 'Support', memberName: 'Ada Lovelace' },
      object: { kind: 'agent', id: '0193a1b2-0000-7000-8000-000000000002' },
      createdAt: '2027-01-31T09:30:00.000Z',
      readAt: null,
    },
  ],
});
export const countUnreadNotifications = endpoint({
  name: 'countUnreadNotifications',
  method: 'GET',
  path: '/api/notifications/unread',
  access: MEMBERS_ACCOUNT,
  feature: 'notifications',
  summary: 'Count unread notifications',
  description: 'Returns how many notifications the caller has not read, counted up to 1,000.',
  status: 200,
  answer: z.object({ count: z.int() }),
  answerExample: { count: 1 },
});
export const markNotificationsRead = endpoint({
  name: 'markNotificationsRead',
  method: 'POST',
  path: '/api/notifications/read',
  access: MEMBERS_ACCOUNT,
  feature: 'notifications',
  summary: 'Mark notifications as read',
  description: 'Marks the given notifications, or all up to an instant, as read by the caller.',
  body: Read,
  example: { all: true },
  status: 204,
});
const notificationPreferencesExample: NotificationPreferences = {
  emailNotifications: true,
  agentStatusUpdates: true,
  creditBalanceAlerts: true,
};

export const getNotificationPreferences = endpoint({
  name: 'getNotificationPreferences',
  method: 'GET',
  path: '/api/user/notification-preferences',
  access: MEMBERS_ACCOUNT,
  feature: 'notifications',
  summary: 'Retrieve notification preferences',
  description: 'Returns the caller’s preferences.',
  status: 200,
  answer: NotificationPreferences,
  answerExample: notificationPreferencesExample,
});
export const changeNotificationPreferences = endpoint({
  name: 'changeNotificationPreferences',
  method: 'PUT',
  path: '/api/user/notification-preferences',
  access: MEMBERS_ACCOUNT,
  feature: 'notifications',
  summary: 'Update notification preferences',
  description: 'Changes the caller’s preferences. Fields that are not sent stay unchanged.',
  body: changeOf(switches),
  example: { emailNotifications: false },
  status: 200,
  answer: NotificationPreferences,
  answerExample: notificationPreferencesExample,
});
