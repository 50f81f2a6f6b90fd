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
import { noticeCauses } from '@tallyhand/contracts/notice-causes';
import type { Row } from '@tallyhand/read-models/read-models';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Happened } from '../../kernel/projection.ts';
import { balanceAfter, levelCrossed, severityOf } from './low-credits.ts';
import type { NoticeState } from './notice-memory.ts';

const workEvents = {
  TaskRequested,
  TaskSucceeded,
  TaskCancelled,
  SessionRequested,
  MailboxConnected,
  MailboxDisconnected,
};
type WorkEvent = EventsOf<typeof workEvents>;

/** What leads to notices, and what must be known for them. */
export const noticeEvents = {
  ...ledgerEvents,
  ...workEvents,
  ...noticeCauses,
};
export type NoticeEvent = EventsOf<typeof noticeEvents>;

const ERROR_LENGTH_MAX = 300;

type Audience =
  | { readonly person: string; readonly roles?: readonly string[] }
  /** Every member where none are named, except the one who did it. */
  | { readonly roles: readonly string[] | null; readonly but?: string | null };

type Notice = Pick<Notification, 'kind' | 'severity' | 'params' | 'object'> & {
  readonly to: Audience;
  readonly agentId?: string | null;
  /** Tells notices of one event apart; without it an event leads to one at most. */
  readonly part?: string;
};

/** The row that an event leads to, or null. */
export function noticeRow(
  { stored, event }: Happened<NoticeEvent>,
  state: NoticeState,
): Row<'notifications'> | null {
  const { actor, recordedAt } = stored.envelope;
  const notice = noticeOf(event, state, actor.kind === 'member' ? (actor.id ?? null) : null);
  if (!notice) return null;
  const { kind, severity, params, object, to, agentId = null, part } = notice;
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

const isOfWork = (event: NoticeEvent): event is WorkEvent => event.type in workEvents;
export const isOfLedger = (event: NoticeEvent): event is LedgerEvent => event.type in ledgerEvents;

function noticeOf(event: NoticeEvent, state: NoticeState, by: string | null): Notice | null {
  if (isOfLedger(event)) return lowCredits(event, state);
  if (isOfWork(event)) return noteWork(event, state);
  switch (event.type) {
    case 'TaskFailed':
      return taskFailed(event.data, state);
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

/** What only says who began something, or that it is over: it leads to no notice. */
function noteWork(event: WorkEvent, state: NoticeState): null {
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
  state: NoticeState,
  id: string,
  { organizationId, requestedBy, agentId }: Requested,
) =>
  state.begin({
    work_id: id,
    organization_id: organizationId,
    requested_by: requestedBy,
    agent_id: agentId,
  });

/** Low credits: once each time that the posted balance falls below one of the levels. */
function lowCredits(event: LedgerEvent, state: NoticeState): Notice | null {
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

type Failed = EventOf<typeof noticeCauses.TaskFailed>['data'];

function taskFailed(
  { taskId: id, code, params, error }: Failed,
  state: NoticeState,
): Notice | null {
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

const cutText = (text: string) => text.slice(0, ERROR_LENGTH_MAX).toWellFormed();

const cut = (params: SentenceParams): SentenceParams =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutText(value) : value,
    ]),
  );

/** A person who ended it already knows. */
function sessionEnded(
  status: 'completed' | 'failed' | 'terminated',
  { sessionId: id, reason }: { readonly sessionId: string; readonly reason: string },
  state: NoticeState,
  by: string | null = null,
): Notice | null {
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
function mailboxFailing(id: string, params: Notice['params'], state: NoticeState): Notice {
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

/** Where a person did it, an Admin knows. */
function webhookDisabled({ webhookId: id, reason }: Disabled): Notice | null {
  if (reason === 'by-person') return null;
  return {
    kind: 'webhook-disabled',
    severity: 'warning',
    params: { reason },
    object: { kind: 'webhook', id },
    to: { roles: ADMINS.roles },
  };
}

type Dropped = EventOf<typeof noticeCauses.ToolCredentialsDropped>['data'];

/** The agents that use the tool fail with it until an Admin or another member acts. */
const credentialsDropped = ({ toolId: id, credentials }: Dropped, by: string | null): Notice => ({
  kind: 'tool-credentials-dropped',
  severity: 'warning',
  params: { reason: credentials.dropped.reason },
  object: { kind: 'tool', id },
  to: { roles: ADMINS.roles, but: by },
});

const agentStatus = (status: string, id: string, by: string | null): Notice => ({
  kind: 'agent-status',
  severity: status === 'deleted' ? 'warning' : 'info',
  params: { status },
  object: { kind: 'agent', id },
  agentId: id,
  to: { roles: AGENT_MANAGERS.roles, but: by },
});

/** Amount and credits are the payment's, which is read with it. */
const payment = (severity: Notice['severity'], id: string, params: Notice['params']): Notice => ({
  kind: 'payment',
  severity,
  params,
  object: { kind: 'payment', id },
  to: { roles: ADMINS.roles },
});
