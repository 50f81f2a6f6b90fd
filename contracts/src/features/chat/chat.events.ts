import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';
import { AttachmentFacts } from '../attachments/attachments.fields.ts';
import { ModelUsage } from '../models/model-usage.ts';

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
  ConversationRenamed,
  ConversationDeleted,
};
export type ConversationEvent = EventsOf<typeof conversationEvents>;
