import {
  type ConversationEvent,
  conversationEvents,
} from '@tallyhand/contracts/features/chat/chat.events';
import {
  type ConversationMessagesTable,
  type ConversationsTable,
  conversationsModel,
} from '@tallyhand/read-models/features/chat/chat.tables';
import { sql } from 'kysely';
import { projection, type Surroundings, type Tx } from '../../kernel/projection.ts';

export const conversationsProjection = projection<ConversationEvent>({
  model: conversationsModel,
  kinds: conversationEvents,
  on: {
    ConversationStarted: async (tx, data, { at, reveal }) =>
      tx
        .insertInto('conversations')
        .values({
          conversation_id: data.conversationId,
          organization_id: data.organizationId,
          agent_id: data.agentId,
          started_by: data.startedBy,
          title: await reveal(data.startedBy, data.title),
          message_count: 0,
          created_at: at,
          updated_at: at,
          deleted_at: null,
        })
        .execute(),
    MessageSent: async (tx, data, around) => {
      const content = await around.reveal(data.startedBy, data.text);
      return add(tx, around, data, { role: 'user', content, sources: '[]' });
    },
    ReplyGiven: async (tx, data, around) => {
      const text = await around.reveal(data.startedBy, data.reply);
      // What an erased person was answered is gone too.
      const { response, sources } = text.startsWith('{')
        ? JSON.parse(text)
        : { response: text, sources: [] };
      const reply = { role: 'agent', content: response, sources: JSON.stringify(sources) };
      return add(tx, around, data, reply);
    },
    ConversationRenamed: async (tx, { conversationId, startedBy, title }, { reveal }) =>
      change(tx, conversationId, { title: await reveal(startedBy, title) }),
    ConversationDeleted: (tx, { conversationId }, { at }) =>
      change(tx, conversationId, { deleted_at: at }),
  },
});

const change = (tx: Tx, conversationId: string, columns: Partial<ConversationsTable>) =>
  tx
    .updateTable('conversations')
    .set(columns)
    .where('conversation_id', '=', conversationId)
    .execute();

async function add(
  tx: Tx,
  { event, at }: Surroundings,
  {
    messageId,
    conversationId,
    organizationId,
  }: Record<'messageId' | 'conversationId' | 'organizationId', string>,
  message: Pick<ConversationMessagesTable, 'role' | 'content' | 'sources'>,
) {
  const ids = {
    ...{ message_id: messageId, conversation_id: conversationId },
    organization_id: organizationId,
  };
  await tx
    .insertInto('conversation_messages')
    .values({ ...ids, ...message, ordinal: Number(event.revision), created_at: at })
    .execute();
  await tx
    .updateTable('conversations')
    .set({ message_count: sql`message_count + 1`, updated_at: at })
    .where('conversation_id', '=', conversationId)
    .execute();
}
