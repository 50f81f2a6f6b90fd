import {
  type ConversationEvent,
  conversationEvents,
  REPLY_MS_MAX,
  type ReplyGiven,
} from '@tallyhand/contracts/features/chat/chat.events';
import type { ReadModelTables } from '@tallyhand/read-models/database';
import {
  type ConversationMessagesTable,
  conversationsModel,
} from '@tallyhand/read-models/features/chat/chat.tables';
import { sql, type UpdateObject } from 'kysely';
import { projection, type Surroundings, type Tx } from '../../kernel/projection.ts';

type ReplyData = ReturnType<typeof ReplyGiven>['data'];
type KeyColumn = 'message_id' | 'conversation_id' | 'organization_id';

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
          reply_due_at: null,
          deleted_at: null,
        })
        .execute(),
    MessageSent: async (tx, data, around) => {
      const content = await around.reveal(data.startedBy, data.text);
      const message = { role: 'user', content, sources: '[]', in_reply_to: null };
      await add(tx, around, data, { ...message, is_stopped: false });
      await change(tx, data.conversationId, { reply_due_at: dueAfter(around.at) });
    },
    ReplyRequestedAgain: (tx, { conversationId }, { at }) =>
      change(tx, conversationId, { reply_due_at: dueAfter(at) }),
    ReplyGiven: (tx, data, around) => addReply(tx, around, data, false),
    ReplyStopped: (tx, data, around) => addReply(tx, around, data, true),
    ReplyFailed: (tx, { conversationId }) => change(tx, conversationId, { reply_due_at: null }),
    ConversationRenamed: async (tx, { conversationId, startedBy, title }, { reveal }) =>
      change(tx, conversationId, { title: await reveal(startedBy, title) }),
    ConversationDeleted: (tx, { conversationId }, { at }) =>
      change(tx, conversationId, { deleted_at: at }),
  },
});

const dueAfter = (at: string) => new Date(Date.parse(at) + REPLY_MS_MAX).toISOString();

const change = (
  tx: Tx,
  conversationId: string,
  columns: UpdateObject<ReadModelTables, 'conversations'>,
) =>
  tx
    .updateTable('conversations')
    .set(columns)
    .where('conversation_id', '=', conversationId)
    .execute();

/** It takes the place of an earlier reply to the same message. */
async function addReply(tx: Tx, around: Surroundings, data: ReplyData, isStopped: boolean) {
  const { conversationId, startedBy, inReplyTo } = data;
  const text = await around.reveal(startedBy, data.reply);
  // What an erased person was answered is gone too.
  const { response, sources } = text.startsWith('{')
    ? JSON.parse(text)
    : { response: text, sources: [] };
  const [earlier] = await tx
    .deleteFrom('conversation_messages')
    .where('conversation_id', '=', conversationId)
    .where('in_reply_to', '=', inReplyTo)
    .execute();
  const replaced = earlier?.numDeletedRows ?? 0n;
  await change(tx, conversationId, {
    reply_due_at: null,
    message_count: sql<number>`message_count - ${replaced}::int`,
  });
  const written = { role: 'agent', content: response, sources: JSON.stringify(sources) };
  await add(tx, around, data, { ...written, in_reply_to: inReplyTo, is_stopped: isStopped });
}

async function add(
  tx: Tx,
  { event, at }: Surroundings,
  {
    messageId,
    conversationId,
    organizationId,
  }: Record<'messageId' | 'conversationId' | 'organizationId', string>,
  message: Omit<ConversationMessagesTable, 'ordinal' | 'created_at' | KeyColumn>,
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
