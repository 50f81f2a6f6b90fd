import {
  MailboxConnected,
  MailReceived,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { appendPast } from './past-sessions.ts';
import type { TestProduct } from './product.ts';

type Own = { readonly organizationId: string; readonly userId: string; readonly agentId: string };

/** A mailbox that is not polled, with one mail; the key of its address is destroyed. */
export async function pastMailbox(
  config: TestProduct['config'],
  { organizationId, userId, agentId }: Own,
): Promise<void> {
  const mailbox = { mailboxId: newId(), organizationId };
  const unreadable = Ciphertext.parse('eyJhbGciOiJkaXIifQ..bm9uY2U.dGV4dA.dGFn');
  await appendPast(config, `mailbox-${mailbox.mailboxId}`, organizationId, [
    MailboxConnected({
      ...mailbox,
      agentId,
      connectedBy: userId,
      address: unreadable,
      provider: 'imap',
      credentialsId: newId(),
      canReply: false,
      pollInterval: 300,
      autoReply: true,
      replyTemplate: '{{answer}}',
      markAsRead: true,
    }),
    MailReceived({
      ...mailbox,
      mailId: newId(),
      taskId: null,
      reason: 'bounce',
      sender: null,
      subject: unreadable,
    }),
  ]);
}
