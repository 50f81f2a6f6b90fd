import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';

type Subject = Pick<Notification, 'kind' | 'params'>;

/** A notification in one sentence, in English, as mails have it. */
export function notificationSentence({ kind, params }: Subject): string {
  const agent = params.agentName ?? 'An agent';
  switch (kind) {
    case 'low-credits':
      return Number(params.available) > 0
        ? `Low balance: ${params.available} credits left. Agents stop working at zero credits.`
        : 'Out of credits. Agents have stopped working..';
    case 'task-failed':
      return `${agent}: task failed. ${params.error}`;
    case 'approval-needed':
      return params.operation === undefined
        ? `${agent} wants to send a form to ${params.tool} and needs approval.`
        : `${agent} wants to use ${params.tool} (${params.operation}) and needs approval.`;
    case 'session-ended':
      return `${agent}: session ${SESSION_ENDS[params.status ?? ''] ?? 'ended'}.`;
    case 'agent-status':
      return `${agent} was ${params.status}${by(params.memberName)}.`;
    case 'mailbox-failing':
      return params.status === 'paused'
        ? `${agent}: a mailbox was paused because of too much mail.`
        : `${agent}: a mailbox can’t be reached. Its mail is waiting.`;
    case 'webhook-disabled':
      return 'A webhook was turned off because its deliveries kept failing.';
    case 'log-stream-failing':
      return `The audit log can’t be sent to ${params.receiver}. It waits and is sent again.`;
    case 'tool-credentials-dropped': {
      if (params.reason === 'refused') {
        return `${params.toolName ?? 'A tool'} is no longer signed in at its server. Sign in again.`;
      }
      const tool = params.toolName === undefined ? 'a tool' : `the tool ${params.toolName}`;
      return `The credentials of ${tool} were removed. Enter them again.`;
    }
    case 'invitation-accepted':
      return `${params.memberName ?? 'Someone'} accepted an invitation and joined your organization.`;
    case 'payment':
      return `Payment${amountOf(params)} ${PAYMENTS[params.status ?? ''] ?? 'changed.'}`;
  }
}

const by = (name: string | number | undefined) => (name === undefined ? '' : ` by ${name}`);

function amountOf({ cents, currency }: Subject['params']): string {
  if (typeof cents !== 'number' || typeof currency !== 'string') return '';
  const money = new Intl.NumberFormat('en', { style: 'currency', currency });
  return ` of ${money.format(cents / 100)}`;
}

const SESSION_ENDS: Readonly<Record<string, string>> = {
  completed: 'completed',
  failed: 'failed',
  terminated: 'terminated',
};

const PAYMENTS: Readonly<Record<string, string>> = {
  succeeded: 'succeeded. The credits have been added.',
  failed: 'failed. No credits were added.',
  refunded: 'was refunded, and its credits were withdrawn.',
  disputed: 'is disputed, and its credits were withdrawn.',
};
