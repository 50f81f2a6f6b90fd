import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as notifications from './notifications.endpoints.ts';

export const notificationsExamples: AnswerExamples<typeof notifications> = {
  countUnreadNotifications: {
    count: 1,
  },
  NotificationPreferences: {
    emailNotifications: true,
    agentStatusUpdates: true,
    creditBalanceAlerts: true,
  },
  Notification: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    kind: 'agent-status',
    severity: 'info',
    params: {
      status: 'paused',
      agentName: 'Support',
      memberName: 'Ada Lovelace',
    },
    object: {
      kind: 'agent',
      id: '0193a1b2-0000-7000-8000-000000000002',
    },
    createdAt: '2027-01-31T09:30:00.000Z',
    readAt: null,
  },
};
