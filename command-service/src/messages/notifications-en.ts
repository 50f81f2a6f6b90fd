import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';

type Subject = Pick<Notification, 'kind' | 'params'>;

/** A notification in one sentence, in English, as mails have it. */
export function notificationSentence({ kind, params }: Subject): string {
  const agent = params.agentName ?? 'an agent';
  switch (kind) {
    case 'low-credits':
      return Number(params.available) > 0
        ? `${params.available} credits are left. Agents stop when they are used up.`
        : 'There are no credits left: agents have stopped.';
    case 'task-failed':
      return `A task of ${agent} failed: ${params.error}`;
    case 'session-ended':
      return `A session of ${agent} ${SESSION_ENDS[params.status ?? ''] ?? 'ended'}.`;
    case 'agent-status':
      return `${params.agentName ?? 'An agent'} was ${params.status}${by(params.memberName)}.`;
    case 'mailbox-failing':
      return params.status === 'paused'
        ? `A mailbox of ${agent} was paused: too much mail came or went.`
        : `A mailbox of ${agent} can not be reached: its mail waits.`;
    case 'webhook-disabled':
      return 'A webhook was turned off: its address did not take what was sent.';
    case 'tool-credentials-dropped': {
      const tool = params.toolName === undefined ? 'a tool' : `the tool ${params.toolName}`;
      return `The credentials of ${tool} were removed: enter them again.`;
    }
    case 'invitation-accepted':
      return `${params.memberName ?? 'Someone'} accepted an invitation and is a member now.`;
    case 'payment':
      return `A payment${amountOf(params)} ${PAYMENTS[params.status ?? ''] ?? 'changed.'}`;
  }
}

const by = (name: string | number | undefined) => (name === undefined ? '' : ` by ${name}`);

function amountOf({ cents, currency }: Subject['params']): string {
  if (typeof cents !== 'number' || typeof currency !== 'string') return '';
  const money = new Intl.NumberFormat('en', { style: 'currency', currency });
  return ` of ${money.format(cents / 100)}`;
}

const SESSION_ENDS: Readonly<Record<string, string>> = {
  completed: 'is complete',
  failed: 'failed',
  terminated: 'was ended',
};

const PAYMENTS: Readonly<Record<string, string>> = {
  succeeded: 'succeeded: its credits are there.',
  failed: 'failed: no credits were added.',
  refunded: 'was refunded, and its credits were taken back.',
  disputed: 'is disputed, and its credits were taken back.',
};
