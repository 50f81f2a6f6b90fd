import {
  ConversationDeleted,
  type ConversationEvent,
  ConversationRenamed,
  ConversationStarted,
  conversationEvents,
  MessageSent,
  ReplyGiven,
} from '@tallyhand/contracts/features/chat/chat.events';
import { ConversationFull } from '@tallyhand/contracts/features/chat/chat.refusals';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Decider } from '../../kit/decider.ts';

export const MESSAGES_MAX = 1_000;

type Own = { readonly by: string };
type Data<K extends (data: never) => unknown> = Parameters<K>[0];

type ConversationCommand =
  | EventValue<'Start', Data<typeof ConversationStarted>>
  | EventValue<'Send', Own & { readonly messageId: string; readonly text: Ciphertext }>
  | EventValue<
      'Reply',
      Own &
        Pick<
          Data<typeof ReplyGiven>,
          'messageId' | 'inReplyTo' | 'reply' | 'model' | 'agentVersion'
        >
    >
  | EventValue<'Rename', Own & { readonly title: Ciphertext }>
  | EventValue<'Delete', Own>;

/** What was said, in its order. */
export type Said = { readonly messageId: string } & (
  | { readonly role: 'user'; readonly text: Ciphertext }
  | { readonly role: 'agent'; readonly inReplyTo: string; readonly reply: Ciphertext }
);

export type ExistingConversation = {
  readonly conversationId: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly startedBy: string;
  readonly isDeleted: boolean;
  readonly said: readonly Said[];
};

export const conversationDecider: Decider<
  ExistingConversation | null,
  ConversationCommand,
  ConversationEvent
> = {
  category: 'conversation',
  kinds: conversationEvents,
  cachedMax: 300,
  initialState: () => null,
  decide(command, conversation) {
    if (command.type === 'Start') return conversation ? [] : [ConversationStarted(command.data)];
    // To everybody but whoever started it there is no such conversation.
    if (!conversation || conversation.isDeleted || conversation.startedBy !== command.data.by) {
      return NotFound({ what: 'conversation' });
    }
    const { conversationId, organizationId, startedBy, said } = conversation;
    const own = { conversationId, organizationId };
    switch (command.type) {
      case 'Send': {
        const { messageId, text } = command.data;
        if (said.some((one) => one.messageId === messageId)) return [];
        if (said.length >= MESSAGES_MAX) return ConversationFull({ messagesMax: MESSAGES_MAX });
        return [MessageSent({ ...own, messageId, startedBy, text })];
      }
      case 'Reply': {
        const { by: _, ...reply } = command.data;
        if (said.some((one) => one.messageId === reply.messageId)) return [];
        return [ReplyGiven({ ...own, startedBy, ...reply })];
      }
      case 'Rename':
        return [ConversationRenamed({ ...own, startedBy, title: command.data.title })];
      case 'Delete':
        return [ConversationDeleted(own)];
    }
  },
  evolve(conversation, event) {
    if (event.type === 'ConversationStarted') {
      const { title: _, ...data } = event.data;
      return { ...data, isDeleted: false, said: [] };
    }
    if (!conversation) return null;
    switch (event.type) {
      case 'MessageSent': {
        const { messageId, text } = event.data;
        const said: Said = { messageId, role: 'user', text };
        return { ...conversation, said: [...conversation.said, said] };
      }
      case 'ReplyGiven': {
        const { messageId, inReplyTo, reply } = event.data;
        const said: Said = { messageId, role: 'agent', inReplyTo, reply };
        return { ...conversation, said: [...conversation.said, said] };
      }
      case 'ConversationRenamed':
        return conversation;
      case 'ConversationDeleted':
        return { ...conversation, isDeleted: true };
    }
  },
};
