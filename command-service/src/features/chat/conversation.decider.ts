import type { AttachmentFacts } from '@tallyhand/contracts/features/attachments/attachments.fields';
import {
  ConversationDeleted,
  type ConversationEvent,
  ConversationRenamed,
  ConversationStarted,
  conversationEvents,
  MessageSent,
  REPLY_MS_MAX,
  ReplyApprovalDecided,
  ReplyApprovalRequested,
  ReplyFailed,
  ReplyGiven,
  ReplyRequestedAgain,
  ReplyStopped,
  ReplyToolCalled,
} from '@tallyhand/contracts/features/chat/chat.events';
import {
  ConversationFull,
  NothingToAnswer,
  ReplyPending,
} from '@tallyhand/contracts/features/chat/chat.refusals';
import {
  ApprovalDecided,
  ApprovalLapsed,
} from '@tallyhand/contracts/features/tasks/tasks.refusals';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

export const MESSAGES_MAX = 1_000;

type Own = { readonly by: string };
type Data<K extends (data: never) => unknown> = Parameters<K>[0];
/** What the events of a request have from the conversation. */
type OfRequest = 'conversationId' | 'organizationId' | 'startedBy' | 'requestId' | 'inReplyTo';
type ForRequest = { readonly requestId: string };
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

export type ConversationCommand =
  | EventValue<'Start', Data<typeof ConversationStarted>>
  | EventValue<'Send', Requested & { readonly messageId: string } & Content>
  | EventValue<'Regenerate', Requested & { readonly replyId: string }>
  | EventValue<'Reply', Written>
  | EventValue<'Stop', Written>
  | EventValue<
      'Fail',
      Own & { readonly requestId: string } & Pick<Data<typeof ReplyFailed>, 'reason' | 'usage'>
    >
  | EventValue<
      'RequestApproval',
      Own & Omit<Data<typeof ReplyApprovalRequested>, OfRequest | 'agentId'> & ForRequest
    >
  | EventValue<
      'DecideApproval',
      { readonly now: Date } & Omit<Data<typeof ReplyApprovalDecided>, OfRequest>
    >
  | EventValue<'NoteToolCall', Own & Omit<Data<typeof ReplyToolCalled>, OfRequest> & ForRequest>
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

/** A call that a person was asked about. */
export type AskedReply = Omit<
  Data<typeof ReplyApprovalRequested>,
  OfRequest | 'agentId' | 'arguments' | 'turns' | 'deadline' | 'usage'
> & {
  /** Null once the reply has ended. */
  readonly arguments: Ciphertext | null;
  /** Of the last one only. */
  readonly turns: Ciphertext | null;
  readonly decided: Omit<
    Data<typeof ReplyApprovalDecided>,
    OfRequest | 'approvalId' | 'deadline'
  > | null;
};

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
  /** Of the last request for a reply, in order. */
  readonly approvals: readonly AskedReply[];
  /** The calls of tools for the last message, as far as they are recorded, in order. */
  readonly toolCalls: readonly Ciphertext[];
};

type ConversationRefusal = RefusalOf<
  | typeof NotFound
  | typeof ApprovalDecided
  | typeof ConversationFull
  | typeof NothingToAnswer
  | typeof ApprovalLapsed
  | typeof ReplyPending
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
    if (!conversation || conversation.isDeleted) return NotFound({ what: 'conversation' });
    if (command.type === 'DecideApproval') return decideApproval(command.data, conversation);
    // Otherwise the conversation exists only for the member who started it.
    if (conversation.startedBy !== command.data.by) return NotFound({ what: 'conversation' });
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
      case 'RequestApproval': {
        const { by: _, requestId, ...asked } = command.data;
        const request = requestOf(conversation, requestId);
        // Two processes may ask for the same call, one of them after the decision.
        if (!request || waitsFor(conversation) || isAsked(conversation, asked.approvalId))
          return [];
        const { agentId } = conversation;
        return [ReplyApprovalRequested({ ...request, agentId, ...asked })];
      }
      case 'NoteToolCall': {
        const { by: _, requestId, ...called } = command.data;
        const request = requestOf(conversation, requestId);
        if (!request || called.ordinal !== conversation.toolCalls.length + 1) return [];
        return [ReplyToolCalled({ ...request, ...called })];
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
      return { ...data, isDeleted: false, said: [], pending: null, ...NOTHING_ASKED };
    }
    if (!conversation) return null;
    const { said } = conversation;
    const dueAt = Date.parse(at) + REPLY_MS_MAX;
    switch (event.type) {
      case 'MessageSent': {
        const { messageId, text, attachments, attachmentNames } = event.data;
        const sent = { text, attachments, attachmentNames };
        const pending = { requestId: messageId, inReplyTo: messageId, dueAt };
        const message = { messageId, role: 'user', ...sent } as const;
        return { ...conversation, said: [...said, message], pending, ...NOTHING_ASKED };
      }
      case 'ReplyRequestedAgain': {
        const { requestId, inReplyTo } = event.data;
        const pending = { requestId, inReplyTo, dueAt };
        return { ...conversation, pending, approvals: [] };
      }
      case 'ReplyApprovalRequested': {
        const { approvalId, toolId, toolVersion, toolName, operation, turns } = event.data;
        const asked = { approvalId, toolId, toolVersion, toolName, operation, turns };
        const approvals = [
          ...conversation.approvals.map((one) => ({ ...one, turns: null })),
          { ...asked, arguments: event.data.arguments, decided: null },
        ];
        return { ...conversation, approvals, pending: dueBy(conversation, event.data.deadline) };
      }
      case 'ReplyApprovalDecided': {
        const { approvalId, decision, answer, forRun, decidedBy, deadline } = event.data;
        const decided = { decision, answer, forRun, decidedBy };
        const approvals = conversation.approvals.map((one) =>
          one.approvalId === approvalId ? { ...one, decided } : one,
        );
        return { ...conversation, approvals, pending: dueBy(conversation, deadline) };
      }
      case 'ReplyToolCalled': {
        const toolCalls = [...conversation.toolCalls, event.data.call];
        return { ...conversation, toolCalls };
      }
      case 'ReplyGiven':
      case 'ReplyStopped': {
        const { messageId, inReplyTo, reply, agentVersion } = event.data;
        const isStopped = event.type === 'ReplyStopped';
        const own = { messageId, inReplyTo, reply, isStopped, agentVersion };
        const written = { ...own, role: 'agent' } as const;
        const others = said.filter((one) => one.role === 'user' || one.inReplyTo !== inReplyTo);
        return { ...conversation, said: [...others, written], ...ended(conversation) };
      }
      case 'ReplyFailed':
        // What an earlier attempt has called is not called again.
        return { ...conversation, ...ended(conversation), toolCalls: conversation.toolCalls };
      case 'ConversationRenamed':
        return conversation;
      case 'ConversationDeleted':
        return { ...conversation, isDeleted: true, pending: null };
    }
  },
};

/** Decisions are kept for repeats; what they were about may be large. */
const ended = ({ approvals }: ExistingConversation) => ({
  pending: null,
  toolCalls: [],
  approvals: approvals.map((one) => ({ ...one, arguments: null, turns: null })),
});

const NOTHING_ASKED = { approvals: [], toolCalls: [] } as const;

const dueBy = ({ pending }: ExistingConversation, deadline: string) =>
  pending && { ...pending, dueAt: Date.parse(deadline) };

/** The approval that the pending reply waits for. */
export const waitsFor = ({ pending, approvals }: ExistingConversation) => {
  const last = approvals.at(-1);
  return pending && last && !last.decided ? last : null;
};

/** The pending request, as events name it; null if another one is pending. */
function requestOf(conversation: ExistingConversation, requestId: string) {
  const { conversationId, organizationId, startedBy, pending } = conversation;
  if (pending?.requestId !== requestId) return null;
  const { inReplyTo } = pending;
  return { conversationId, organizationId, startedBy, requestId, inReplyTo };
}

const isAsked = ({ approvals }: ExistingConversation, id: string) =>
  approvals.find(({ approvalId }) => approvalId === id);

type Decided = readonly ConversationEvent[] | ConversationRefusal;

/** Any member who may edit agents decides. A repeat is a retry. */
function decideApproval(
  { now, ...data }: Extract<ConversationCommand, { type: 'DecideApproval' }>['data'],
  conversation: ExistingConversation,
): Decided {
  const asked = isAsked(conversation, data.approvalId);
  if (!asked) return NotFound({ what: 'approval' });
  if (asked.decided) {
    const { decision, forRun, decidedBy } = asked.decided;
    const isSame =
      decision === data.decision && forRun === data.forRun && decidedBy === data.decidedBy;
    return isSame ? [] : ApprovalDecided({ decision });
  }
  const { pending } = conversation;
  const request = pending && requestOf(conversation, pending.requestId);
  if (!request || !isPending(conversation, now)) return ApprovalLapsed({});
  return [ReplyApprovalDecided({ ...request, ...data })];
}

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
