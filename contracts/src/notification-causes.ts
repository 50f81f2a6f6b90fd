import {
  AgentActivated,
  AgentDeleted,
  AgentPaused,
  AgentRestored,
} from './features/agents/agents.events.ts';
import { LogStreamFailing } from './features/audit/audit.events.ts';
import { ReplyApprovalRequested } from './features/chat/chat.events.ts';
import {
  AdjustmentPosted,
  CreditsCharged,
  PaymentReversed,
} from './features/credits/credits.events.ts';
import {
  PaymentDisputed,
  PaymentFailed,
  PaymentRefunded,
  PaymentSucceeded,
} from './features/credits/payments.events.ts';
import { MailboxFailed, MailboxPaused } from './features/mailboxes/mailboxes.events.ts';
import {
  SessionApprovalRequested,
  SessionCompleted,
  SessionFailed,
  SessionTerminated,
} from './features/sessions/sessions.events.ts';
import { TaskApprovalRequested, TaskFailed } from './features/tasks/tasks.events.ts';
import { InvitationAccepted } from './features/team/team.events.ts';
import { ToolCredentialsDropped } from './features/tools/tools.events.ts';
import { WebhookDisabled } from './features/webhooks/webhooks.events.ts';

/** The events that may cause a notification. */
export const notificationCauses = {
  CreditsCharged,
  PaymentReversed,
  AdjustmentPosted,
  TaskFailed,
  TaskApprovalRequested,
  ReplyApprovalRequested,
  InvitationAccepted,
  MailboxFailed,
  MailboxPaused,
  WebhookDisabled,
  LogStreamFailing,
  ToolCredentialsDropped,
  SessionApprovalRequested,
  SessionCompleted,
  SessionFailed,
  SessionTerminated,
  AgentPaused,
  AgentActivated,
  AgentDeleted,
  AgentRestored,
  PaymentSucceeded,
  PaymentFailed,
  PaymentRefunded,
  PaymentDisputed,
};
