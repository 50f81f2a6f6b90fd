import type { AttachmentFacts } from '@tallyhand/contracts/features/attachments/attachments.fields';
import {
  ConversationDeleted,
  type ConversationEvent,
  ConversationRenamed,
  ConversationStarted,
  conversationEvents,
  MessageSent,
  REPLY_MS_MAX,
  ReplyFailed,
  ReplyGiven,
  ReplyRequestedAgain,
  ReplyStopped,
} from '@tallyhand/contracts/features/chat/chat.events';
import {
  ConversationFull,
  NothingToAnswer,
  ReplyPending,
} from '@tallyhand/contracts/features/chat/chat.refusals';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

export const MESSAGES_MAX = 1_000;

type Own = { readonly by: string };
type Data<K extends (data: never) => unknown> = Parameters<K>[0];
type Requested = Own & { readonly requestId: string; readonly now: Date };
type Written = Own & { readonly requestId: string } & Pick<
    Data<typeof ReplyGiven>,
    'messageId' | 'inReplyTo' | 'reply' | 'model' | 'agentVersion' | 'usage'
  >;

/** What a member sends. The names of attachments are JSON, in their order. */
type Content = {
  readonly text: Ciphertext;
  readonly attachments?: readonly AttachmentFacts[] | undefined;
  readonly attachmentNames?: Ciphertext | undefined;
};

type ConversationCommand =
  | EventValue<'Start', Data<typeof ConversationStarted>>
  | EventValue<'Send', Requested & { readonly messageId: string } & Content>
  | EventValue<'Regenerate', Requested & { readonly replyId: string }>
  | EventValue<'Reply', Written>
  | EventValue<'Stop', Written>
  | EventValue<
      'Fail',
      Own & { readonly requestId: string } & Pick<Data<typeof ReplyFailed>, 'reason' | 'usage'>
    >
  | EventValue<'Rename', Own & { readonly title: Ciphertext }>
  | EventValue<'Delete', Own>;

/** The messages in order, each with its last reply. */
export type Said = { readonly messageId: string } & (
  | ({ readonly role: 'user' } & Content)
  | {
      readonly role: 'agent';
      readonly inReplyTo: string;
      readonly reply: Ciphertext;
      readonly isStopped: boolean;
      readonly agentVersion: number;
    }
);

/** The reply that is being written. If its process died, it is pending until `dueAt`. */
export type Pending = {
  /** For the first reply to a message, the message's id. */
  readonly requestId: string;
  readonly inReplyTo: string;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
};

export type ExistingConversation = {
  readonly conversationId: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly startedBy: string;
  readonly isDeleted: boolean;
  readonly said: readonly Said[];
  readonly pending: Pending | null;
};

type ConversationRefusal = RefusalOf<
  typeof NotFound | typeof ConversationFull | typeof NothingToAnswer | typeof ReplyPending
>;

export const conversationDecider: Decider<
  ExistingConversation | null,
  ConversationCommand,
  ConversationEvent,
  ConversationRefusal
> = {
  initialState: () => null,
  decide(command, conversation) {
    if (command.type === 'Start') return conversation ? [] : [ConversationStarted(command.data)];
    // The conversation exists only for the member who started it.
    if (!conversation || conversation.isDeleted || conversation.startedBy !== command.data.by) {
      return NotFound({ what: 'conversation' });
    }
    const { conversationId, organizationId, startedBy } = conversation;
    const own = { conversationId, organizationId };
    switch (command.type) {
      case 'Send':
        return sendMessage(command.data, conversation);
      case 'Regenerate':
        return regenerate(command.data, conversation);
      case 'Reply':
      case 'Stop': {
        const { by: _, requestId, ...reply } = command.data;
        if (conversation.pending?.requestId !== requestId) return [];
        const written = { ...own, startedBy, ...reply };
        return [command.type === 'Reply' ? ReplyGiven(written) : ReplyStopped(written)];
      }
      case 'Fail': {
        const { requestId, reason, usage } = command.data;
        const { pending } = conversation;
        if (pending?.requestId !== requestId) return [];
        return [ReplyFailed({ ...own, requestId, inReplyTo: pending.inReplyTo, reason, usage })];
      }
      case 'Rename':
        return [ConversationRenamed({ ...own, startedBy, title: command.data.title })];
      case 'Delete':
        return [ConversationDeleted(own)];
    }
  },
  evolve(conversation, event, at) {
    if (event.type === 'ConversationStarted') {
      const { title: _, ...data } = event.data;
      return { ...data, isDeleted: false, said: [], pending: null };
    }
    if (!conversation) return null;
    const { said } = conversation;
    const dueAt = Date.parse(at) + REPLY_MS_MAX;
    switch (event.type) {
      case 'MessageSent': {
        const { messageId, text, attachments, attachmentNames } = event.data;
        const sent = { text, attachments, attachmentNames };
        const pending = { requestId: messageId, inReplyTo: messageId, dueAt };
        return { ...conversation, said: [...said, { messageId, role: 'user', ...sent }], pending };
      }
      case 'ReplyRequestedAgain': {
        const { requestId, inReplyTo } = event.data;
        return { ...conversation, pending: { requestId, inReplyTo, dueAt } };
      }
      case 'ReplyGiven':
      case 'ReplyStopped': {
        const { messageId, inReplyTo, reply, agentVersion } = event.data;
        const isStopped = event.type === 'ReplyStopped';
        const own = { messageId, inReplyTo, reply, isStopped, agentVersion };
        const written = { ...own, role: 'agent' } as const;
        const others = said.filter((one) => one.role === 'user' || one.inReplyTo !== inReplyTo);
        return { ...conversation, said: [...others, written], pending: null };
      }
      case 'ReplyFailed':
        return { ...conversation, pending: null };
      case 'ConversationRenamed':
        return conversation;
      case 'ConversationDeleted':
        return { ...conversation, isDeleted: true, pending: null };
    }
  },
};

type Decided = readonly ConversationEvent[] | ConversationRefusal;

/** A known message is a repeat: it keeps its reply, or gets another attempt. */
function sendMessage(
  { messageId, requestId, now, ...sent }: Extract<ConversationCommand, { type: 'Send' }>['data'],
  conversation: ExistingConversation,
): Decided {
  const { conversationId, organizationId, startedBy, said, pending } = conversation;
  if (said.some((one) => one.messageId === messageId)) {
    if (pending?.inReplyTo === messageId || replyTo(conversation, messageId)) return [];
    return askAgain(conversation, messageId, requestId, now);
  }
  if (isPending(conversation, now)) return ReplyPending({});
  if (said.length >= MESSAGES_MAX) return ConversationFull({ messagesMax: MESSAGES_MAX });
  const { text, attachments, attachmentNames } = sent;
  const message = { conversationId, organizationId, messageId, startedBy, text };
  if (!attachments?.length) return [MessageSent(message)];
  return [MessageSent({ ...message, attachments: [...attachments], attachmentNames })];
}

function regenerate(
  { requestId, replyId, now }: Extract<ConversationCommand, { type: 'Regenerate' }>['data'],
  conversation: ExistingConversation,
): Decided {
  const { said, pending } = conversation;
  const isRepeat =
    pending?.requestId === requestId || said.some((one) => one.messageId === replyId);
  if (isRepeat) return [];
  const last = lastMessage(conversation);
  return last ? askAgain(conversation, last.messageId, requestId, now) : NothingToAnswer({});
}

function askAgain(
  conversation: ExistingConversation,
  inReplyTo: string,
  requestId: string,
  now: Date,
): Decided {
  if (isPending(conversation, now)) return ReplyPending({});
  if (lastMessage(conversation)?.messageId !== inReplyTo) return NothingToAnswer({});
  const { conversationId, organizationId } = conversation;
  return [ReplyRequestedAgain({ conversationId, organizationId, requestId, inReplyTo })];
}

const isPending = ({ pending }: ExistingConversation, now: Date) =>
  pending !== null && now.getTime() < pending.dueAt;

/** The member's last message. */
const lastMessage = ({ said }: ExistingConversation) =>
  said.findLast((one): one is Extract<Said, { role: 'user' }> => one.role === 'user');

/** The current reply to a message, if any. */
export const replyTo = ({ said }: ExistingConversation, messageId: string) =>
  said.find(
    (one): one is Extract<Said, { role: 'agent' }> =>
      one.role === 'agent' && one.inReplyTo === messageId,
  );

export const conversationStream: StreamPolicy<
  ExistingConversation | null,
  ConversationCommand,
  ConversationEvent,
  ConversationRefusal
> = {
  category: 'conversation',
  decider: conversationDecider,
  events: conversationEvents,
  begunBy: 'Start',
  refusedOnceDone: ['Delete'],
  cachedMax: 300,
};
