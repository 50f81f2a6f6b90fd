import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { Kit } from '../../kit/app.ts';
import type { MailboxState } from './mailbox.decider.ts';
import type { MailboxLooks } from './mailbox-list.ts';

/** A mailbox as its API shows it. */
export async function viewOf(
  { personKeys }: Pick<Kit, 'personKeys'>,
  { connection, connectedAt, pause, failure }: MailboxState,
  looks: MailboxLooks | null,
): Promise<Mailbox> {
  if (!connection) throw new Error('There is no mailbox to show');
  const { mailboxId, provider, pollInterval, autoReply, replyTemplate, markAsRead } = connection;
  const reason = pause ?? (looks?.isResting ? 'agent-paused' : null);
  const working = looks?.isPolling ? 'polling' : 'connected';
  return {
    id: mailboxId,
    agentId: connection.agentId,
    providerType: provider,
    emailAddress: await personKeys.reveal(mailboxId, connection.address),
    status: reason ? 'paused' : failure ? 'failing' : working,
    pauseReason: reason,
    syncSettings: { pollInterval, autoReply, replyTemplate, markAsRead },
    canReply: connection.canReply,
    lastPollAt: looks?.lastPollAt ?? null,
    nextPollAt: looks?.nextPollAt ?? null,
    lastError: looks?.error ?? null,
    lastErrorCode: looks?.errorCode ?? null,
    createdAt: connectedAt,
  };
}
