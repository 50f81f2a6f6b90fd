import { refusal } from '../../kernel/refusal.ts';

export const AddressConnected = refusal(
  'address-connected',
  409,
  'Address already connected',
  () => 'This address is already connected to another agent. Disconnect it there first.',
);
export const MailboxNotPaused = refusal(
  'mailbox-not-paused',
  409,
  'Mailbox not paused',
  () => "This mailbox isn't paused.",
);
export const ReplyNotOpen = refusal(
  'reply-not-open',
  409,
  'Reply not open',
  () => 'Only failed or possibly sent replies can be resent.',
);
export const RepliesWaitForSmtp = refusal(
  'replies-wait-for-smtp',
  409,
  'No SMTP server',
  () => 'Replies need an SMTP server. Reconnect the mailbox with one.',
);
