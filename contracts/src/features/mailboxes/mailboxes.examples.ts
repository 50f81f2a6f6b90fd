import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as mailboxes from './mailboxes.endpoints.ts';

export const mailboxesExamples: AnswerExamples<typeof mailboxes> = {
  sendReplyAgain: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    state: 'waiting',
  },
  Mailbox: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    agentId: '0193a1b2-0000-7000-8000-000000000002',
    providerType: 'imap',
    emailAddress: 'support@shop.example',
    status: 'connected',
    pauseReason: null,
    syncSettings: {
      pollInterval: 60,
      autoReply: true,
      replyTemplate: '',
      markAsRead: true,
    },
    canReply: true,
    lastPollAt: '2027-01-31T09:30:00.539Z',
    nextPollAt: '2027-01-31T09:31:00.540Z',
    lastError: null,
    lastErrorCode: null,
    createdAt: '2027-01-31T09:30:00.000Z',
  },
  MailboxMail: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    from: 'grace@example.com',
    subject: 'Weekly news',
    taskId: '0193a1b2-0000-7000-8000-000000000002',
    reason: 'mailing-list',
    reply: 'none',
    createdAt: '2027-01-31T09:30:00.000Z',
  },
  MailboxTest: {
    fetch: {
      works: true,
      error: null,
      code: null,
    },
    send: {
      works: false,
      error: 'No connection to smtp.shop.example could be made.',
      code: 'connect',
    },
  },
};
