import { z } from 'zod';
import { Ciphertext, Id } from '../../kernel/ids.ts';
import { type EventsOf, event } from '../../kernel/messages.ts';

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
export const ReplyGiven = event('ReplyGiven', {
  ...conversation,
  messageId: Id,
  inReplyTo: Id,
  startedBy: Id,
  /** JSON of the text and its sources. */
  reply: Ciphertext,
  model: z.string(),
  agentVersion: z.int(),
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
  ReplyGiven,
  ConversationRenamed,
  ConversationDeleted,
};
export type ConversationEvent = EventsOf<typeof conversationEvents>;
