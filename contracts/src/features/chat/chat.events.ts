import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

/** How long a reply may take; after that the conversation goes on without it. */
export const REPLY_MS_MAX = 75_000;

const conversation = { conversationId: Id, organizationId: Id };

/** On `conversation-{id}`. Texts are readable only with the key of whoever started it. */
export const ConversationStarted = event('ConversationStarted', {
  ...conversation,
  agentId: Id,
  startedBy: Id,
  title: Ciphertext,
});
export const MessageSent = event('MessageSent', {
  ...conversation,
  messageId: Id,
  startedBy: Id,
  text: Ciphertext,
});
/** Another reply is wanted: to a message that has one, or whose reply failed. */
export const ReplyRequestedAgain = event('ReplyRequestedAgain', {
  ...conversation,
  requestId: Id,
  inReplyTo: Id,
});
const reply = {
  ...conversation,
  messageId: Id,
  inReplyTo: Id,
  startedBy: Id,
  /** JSON of the text and its sources. */
  reply: Ciphertext,
  model: z.string(),
  agentVersion: z.int(),
};
/** It takes the place of an earlier reply to the same message. */
export const ReplyGiven = event('ReplyGiven', reply);
/** A reply too, as far as it was written when somebody stopped it. */
export const ReplyStopped = event('ReplyStopped', reply);
/** An earlier reply to the message stays. */
export const ReplyFailed = event('ReplyFailed', {
  ...conversation,
  requestId: Id,
  inReplyTo: Id,
  /** `stopped` where nothing had been written yet; else the code of the failure. */
  reason: z.string(),
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
  ConversationRenamed,
  ConversationDeleted,
};
export type ConversationEvent = EventsOf<typeof conversationEvents>;
