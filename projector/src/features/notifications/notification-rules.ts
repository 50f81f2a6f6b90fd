import {
  type LedgerEvent,
  ledgerEvents,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  MailboxConnected,
  MailboxDisconnected,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { SessionRequested } from '@tallyhand/contracts/features/sessions/sessions.events';
import {
  TaskCancelled,
  TaskRequested,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import { ADMINS, AGENT_MANAGERS } from '@tallyhand/contracts/kernel/access';
import type { EventOf, EventsOf } from '@tallyhand/contracts/kernel/messages';
import type { SentenceParams } from '@tallyhand/contracts/kernel/sentence';
import { notificationCauses } from '@tallyhand/contracts/notification-causes';
import type { Row } from '@tallyhand/read-models/read-models';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Happened } from '../../kernel/projection.ts';
import { balanceAfter, levelCrossed, severityOf } from './low-credits.ts';
import type { NotificationState } from './notification-context.ts';

const workEvents = {
  TaskRequested,
  TaskSucceeded,
  TaskCancelled,
  SessionRequested,
  MailboxConnected,
  MailboxDisconnected,
};
type WorkEvent = EventsOf<typeof workEvents>;

/** Events that cause notifications, and those that provide context. */
export const notificationEvents = {
  ...ledgerEvents,
  ...workEvents,
  ...notificationCauses,
};
export type NotificationCause = EventsOf<typeof notificationEvents>;

const ERROR_LENGTH_MAX = 300;

type Audience =
  | { readonly person: string; readonly roles?: readonly string[] }
  /** Members with these roles, or all members, except the actor. */
  | { readonly roles: readonly string[] | null; readonly but?: string | null };

type Draft = Pick<Notification, 'kind' | 'severity' | 'params' | 'object'> & {
  readonly to: Audience;
  readonly agentId?: string | null;
  /** Distinguishes notifications of one event; without it an event causes at most one. */
  readonly part?: string;
};

/** The row that an event causes, or null. */
export function notificationRow(
  { stored, event }: Happened<NotificationCause>,
  state: NotificationState,
): Row<'notifications'> | null {
  const { actor, recordedAt } = stored.envelope;
  const draft = notificationOf(event, state, actor.kind === 'member' ? (actor.id ?? null) : null);
  if (!draft) return null;
  const { kind, severity, params, object, to, agentId = null, part } = draft;
  return {
    notification_id: derivedId(stored.id, part ?? kind),
    organization_id: event.data.organizationId,
    kind,
    severity,
    params,
    object_kind: object.kind,
    object_id: object.id,
    created_at: recordedAt,
    to_user: 'person' in to ? to.person : null,
    to_roles: to.roles ?? null,
    actor_id: 'person' in to ? null : (to.but ?? null),
    agent_id: agentId,
  };
}

const isOfWork = (event: NotificationCause): event is WorkEvent => event.type in workEvents;
export const isOfLedger = (event: NotificationCause): event is LedgerEvent =>
  event.type in ledgerEvents;

function notificationOf(
  event: NotificationCause,
  state: NotificationState,
  by: string | null,
): Draft | null {
  if (isOfLedger(event)) return lowCredits(event, state);
  if (isOfWork(event)) return noteWork(event, state);
  switch (event.type) {
    case 'TaskFailed':
      return taskFailed(event.data, state);
    case 'TaskApprovalRequested':
      return approvalNeeded({ kind: 'task', id: event.data.taskId }, event.data, state);
    case 'SessionApprovalRequested':
      return approvalNeeded({ kind: 'session', id: event.data.sessionId }, event.data, state);
    case 'ReplyApprovalRequested':
      return approvalNeeded(
        { kind: 'conversation', id: event.data.conversationId },
        event.data,
        state,
      );
    case 'SessionCompleted':
      return sessionEnded('completed', event.data, state);
    case 'SessionFailed':
      return sessionEnded('failed', event.data, state);
    case 'SessionTerminated':
      return sessionEnded('terminated', event.data, state, event.data.terminatedBy);
    case 'MailboxFailed':
      return mailboxFailing(
        event.data.mailboxId,
        { status: 'failed', code: event.data.code },
        state,
      );
    case 'MailboxPaused': {
      const { mailboxId, pausedBy, reason } = event.data;
      return pausedBy ? null : mailboxFailing(mailboxId, { status: 'paused', reason }, state);
    }
    case 'WebhookDisabled':
      return webhookDisabled(event.data);
    case 'LogStreamFailing':
      return logStreamFailing(event.data);
    case 'ToolCredentialsDropped':
      return credentialsDropped(event.data, by);
    case 'AgentPaused':
      return agentStatus('paused', event.data.agentId, by);
    case 'AgentActivated':
      return agentStatus('activated', event.data.agentId, by);
    case 'AgentDeleted':
      return agentStatus('deleted', event.data.agentId, by);
    case 'AgentRestored':
      return agentStatus('restored', event.data.agentId, by);
    case 'PaymentSucceeded':
      return payment('info', event.data.paymentId, { status: 'succeeded' });
    case 'PaymentFailed':
      return payment('warning', event.data.paymentId, { status: 'failed' });
    case 'PaymentRefunded': {
      const { paymentId, refundedCents } = event.data;
      return payment('info', paymentId, { status: 'refunded', refundedCents });
    }
    case 'PaymentDisputed':
      return payment('critical', event.data.paymentId, { status: 'disputed' });
    case 'InvitationAccepted': {
      const { userId } = event.data;
      const object = { kind: 'member', id: userId };
      const to = { roles: ADMINS.roles, but: userId };
      return { kind: 'invitation-accepted', severity: 'info', params: {}, object, to };
    }
  }
}

/** Records the beginning and the end of work. These events cause no notification. */
function noteWork(event: WorkEvent, state: NotificationState): null {
  switch (event.type) {
    case 'TaskRequested':
      begin(state, event.data.taskId, event.data);
      return null;
    case 'SessionRequested':
      begin(state, event.data.sessionId, event.data);
      return null;
    case 'MailboxConnected': {
      const { mailboxId, connectedBy: requestedBy, ...data } = event.data;
      begin(state, mailboxId, { ...data, requestedBy });
      return null;
    }
    case 'TaskSucceeded':
    case 'TaskCancelled':
      state.end(event.data.taskId);
      return null;
    case 'MailboxDisconnected':
      state.end(event.data.mailboxId);
      return null;
  }
}

type Requested = {
  readonly organizationId: string;
  readonly requestedBy: string | null;
  readonly agentId: string;
};

const begin = (
  state: NotificationState,
  id: string,
  { organizationId, requestedBy, agentId }: Requested,
) =>
  state.begin({
    work_id: id,
    organization_id: organizationId,
    requested_by: requestedBy,
    agent_id: agentId,
  });

/** Low credits: once each time the posted balance falls below a level. */
function lowCredits(event: LedgerEvent, state: NotificationState): Draft | null {
  const { organizationId: id } = event.data;
  const [before, after] = state.move(id, (balance) => balanceAfter(balance, event));
  const level = levelCrossed(before.posted, after.posted);
  if (level === null) return null;
  return {
    kind: 'low-credits',
    severity: severityOf[level],
    part: String(level),
    params: { level, available: after.posted - after.reserved },
    object: { kind: 'organization', id },
    to: { roles: null },
  };
}

type Failed = EventOf<typeof notificationCauses.TaskFailed>['data'];

function taskFailed(
  { taskId: id, code, params, error }: Failed,
  state: NotificationState,
): Draft | null {
  const work = state.end(id);
  if (!work?.requested_by) return null;
  return {
    kind: 'task-failed',
    severity: 'warning',
    agentId: work.agent_id,
    params: { ...cut(params), code, error: cutText(error) },
    object: { kind: 'task', id },
    to: { person: work.requested_by },
  };
}

type Asked = {
  readonly toolId: string | null;
  readonly toolName: string;
  readonly operation: string;
  /** Of a reply, whose conversation is no work. */
  readonly agentId?: string;
};

/** For those who may decide. */
const approvalNeeded = (
  object: Draft['object'],
  { toolId, toolName: tool, operation, agentId }: Asked,
  state: NotificationState,
): Draft => ({
  kind: 'approval-needed',
  severity: 'warning',
  agentId: agentId ?? state.find(object.id)?.agent_id ?? null,
  // A form has no operation.
  params: { tool: cutText(tool), ...(toolId && { operation: cutText(operation) }) },
  object,
  to: { roles: AGENT_MANAGERS.roles },
});

const cutText = (text: string) => text.slice(0, ERROR_LENGTH_MAX).toWellFormed();

const cut = (params: SentenceParams): SentenceParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutText(value) : value,
    ]),
  );

/** The member who ended the session is not notified. */
function sessionEnded(
  status: 'completed' | 'failed' | 'terminated',
  { sessionId: id, reason }: { readonly sessionId: string; readonly reason: string },
  state: NotificationState,
  by: string | null = null,
): Draft | null {
  const work = state.end(id);
  if (!work?.requested_by || work.requested_by === by) return null;
  return {
    kind: 'session-ended',
    severity: status === 'failed' ? 'warning' : 'info',
    params: { status, reason },
    object: { kind: 'session', id },
    to: { person: work.requested_by },
    agentId: work.agent_id,
  };
}

/** For Admins and the member who connected it. */
function mailboxFailing(id: string, params: Draft['params'], state: NotificationState): Draft {
  const work = state.find(id);
  return {
    kind: 'mailbox-failing',
    severity: 'warning',
    params,
    object: { kind: 'mailbox', id },
    agentId: work?.agent_id ?? null,
    to: work?.requested_by
      ? { person: work.requested_by, roles: ADMINS.roles }
      : { roles: ADMINS.roles },
  };
}

type Disabled = { readonly webhookId: string; readonly reason: string };

/** A member who disabled it is an Admin, who needs no notification. */
function webhookDisabled({ webhookId: id, reason }: Disabled): Draft | null {
  if (reason === 'by-person') return null;
  return {
    kind: 'webhook-disabled',
    severity: 'warning',
    params: { reason },
    object: { kind: 'webhook', id },
    to: { roles: ADMINS.roles },
  };
}

type FailingStream = EventOf<typeof notificationCauses.LogStreamFailing>['data'];

const logStreamFailing = ({ organizationId: id, origin }: FailingStream): Draft => ({
  kind: 'log-stream-failing',
  severity: 'warning',
  params: { receiver: origin },
  object: { kind: 'organization', id },
  to: { roles: ADMINS.roles },
});

type Dropped = EventOf<typeof notificationCauses.ToolCredentialsDropped>['data'];

/** Agents that use the tool fail until a member enters the credentials again. */
const credentialsDropped = ({ toolId: id, credentials }: Dropped, by: string | null): Draft => ({
  kind: 'tool-credentials-dropped',
  severity: 'warning',
  params: { reason: credentials.dropped.reason },
  object: { kind: 'tool', id },
  to: { roles: ADMINS.roles, but: by },
});

const agentStatus = (status: string, id: string, by: string | null): Draft => ({
  kind: 'agent-status',
  severity: status === 'deleted' ? 'warning' : 'info',
  params: { status },
  object: { kind: 'agent', id },
  agentId: id,
  to: { roles: AGENT_MANAGERS.roles, but: by },
});

/** Amount and credits are read from the payment. */
const payment = (severity: Draft['severity'], id: string, params: Draft['params']): Draft => ({
  kind: 'payment',
  severity,
  params,
  object: { kind: 'payment', id },
  to: { roles: ADMINS.roles },
});
