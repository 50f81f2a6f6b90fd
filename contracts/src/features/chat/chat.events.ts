import { z } from 'zod';
import { Ciphertext, Id, Instant } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { AttachmentFacts } from '../attachments/attachments.fields.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { APPROVAL_DECISIONS } from '../tasks/tasks.events.ts';

/** The time limit of a reply; after it the conversation continues without the reply. */
export const REPLY_MS_MAX = 75_000;

const conversation = { conversationId: Id, organizationId: Id };

/** On `conversation-{id}`. Texts are encrypted with the key of the member who started it. */
export const ConversationStarted = event('ConversationStarted', {
  ...conversation,
  agentId: Id,
  startedBy: Id,
  title: Ciphertext,
});
export const MessageSent = event(
  'MessageSent',
  {
    ...conversation,
    messageId: Id,
    startedBy: Id,
    text: Ciphertext,
    /** Absent without any. */
    attachments: z.array(AttachmentFacts).optional(),
    /** JSON of their names, in the same order. */
    attachmentNames: Ciphertext.optional(),
  },
  [(data) => data],
);
/** Requests another reply to a message that has one, or whose reply failed. */
export const ReplyRequestedAgain = event('ReplyRequestedAgain', {
  ...conversation,
  requestId: Id,
  inReplyTo: Id,
});
/** Of the model calls for the reply; absent if there were none. */
const usage = z.array(ModelUsage).optional();

const reply = {
  ...conversation,
  messageId: Id,
  inReplyTo: Id,
  startedBy: Id,
  /** JSON of the text and its sources. */
  reply: Ciphertext,
  model: z.string(),
  agentVersion: z.int(),
  usage,
};
/** Replaces an earlier reply to the same message. */
export const ReplyGiven = event('ReplyGiven', reply, [(data) => data]);
/** A partial reply that the member stopped. */
export const ReplyStopped = event('ReplyStopped', reply, [(data) => data]);
/** An earlier reply to the message remains. */
export const ReplyFailed = event(
  'ReplyFailed',
  {
    ...conversation,
    requestId: Id,
    inReplyTo: Id,
    /** `stopped` if nothing had been generated yet, otherwise the failure's code. */
    reason: z.string(),
    usage,
  },
  [(data) => data],
);
const request = { ...conversation, startedBy: Id, requestId: Id, inReplyTo: Id };
/** A tool call of the reply that a person decides on; the reply waits until `deadline`. */
export const ReplyApprovalRequested = event('ReplyApprovalRequested', {
  ...request,
  agentId: Id,
  approvalId: Id,
  toolId: Id,
  toolVersion: z.int(),
  toolName: z.string(),
  operation: z.string(),
  /** A JSON object. */
  arguments: Ciphertext,
  /** JSON of what the model has said, so that the reply is continued from there. */
  turns: Ciphertext,
  deadline: Instant,
  usage,
});
/** The reply is continued, and must be written by `deadline`. */
export const ReplyApprovalDecided = event('ReplyApprovalDecided', {
  ...request,
  approvalId: Id,
  decision: z.enum(APPROVAL_DECISIONS),
  /** JSON of the arguments that replace the agent's, or of the note on a refusal. */
  answer: Ciphertext.optional(),
  /** Further calls of this version of the tool need no approval in this reply. */
  forRun: z.boolean(),
  decidedBy: Id,
  deadline: Instant,
});
/** A call of a tool after an approval; it is not repeated if its process dies. */
export const ReplyToolCalled = event('ReplyToolCalled', {
  ...request,
  ordinal: z.int(),
  /** JSON of the call. */
  call: Ciphertext,
});
export const ConversationRenamed = event('ConversationRenamed', {
  ...conversation,
  startedBy: Id,
  title: Ciphertext,
});
export const ConversationDeleted = event('ConversationDeleted', conversation);

/** Every event of the stream, by type. */
export const conversationEvents = {
  ConversationStarted,
  MessageSent,
  ReplyRequestedAgain,
  ReplyGiven,
  ReplyStopped,
  ReplyFailed,
  ReplyApprovalRequested,
  ReplyApprovalDecided,
  ReplyToolCalled,
  ConversationRenamed,
  ConversationDeleted,
};
export type ConversationEvent = EventsOf<typeof conversationEvents>;
