import type { Notification } from '@tallyhand/contracts/features/notifications/notifications.endpoints';

type Subject = Pick<Notification, 'kind' | 'params'>;

/** A notification in one sentence, in English, as mails have it. */
export function noticeSentence({ kind, params }: Subject): string {
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
    case 'invitation-accepted':
      return `${params.memberName ?? 'Somebody'} accepted an invitation and is a member now.`;
    case 'payment':
      return PAYMENTS[params.status ?? ''] ?? 'A payment changed.';
  }
}

const by = (name: string | number | undefined) => (name === undefined ? '' : ` by ${name}`);

const SESSION_ENDS: Readonly<Record<string, string>> = {
  completed: 'is complete',
  failed: 'failed',
  terminated: 'was ended',
};

const PAYMENTS: Readonly<Record<string, string>> = {
  succeeded: 'A payment succeeded: its credits are there.',
  failed: 'A payment failed: no credits were added.',
  refunded: 'A payment was refunded, and its credits were taken back.',
  disputed: 'A payment is disputed, and its credits were taken back.',
};
