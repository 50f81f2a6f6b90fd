import type { Attachment } from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import { Conversation } from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import { type ApprovalRow, approvalsOf } from '../../kernel/approvals.ts';
import {
  bigint,
  boolean,
  int,
  json,
  orNull,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../kernel/columns.ts';
import { ownRating } from '../../kernel/ratings.ts';
import { readMany, readOne, readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

const IS_WAITING = 'approval_id is not null';

/**
 * Visible only to the member who started it, not to Admins. Those who decide on a call see the call
 * and the answered message.
 */
export const conversationsModel = readModel({
  name: 'conversations',
  feature: 'chat',
  version: 6,
  tables: {
    conversations: table({
      key: ['conversation_id'],
      columns: {
        conversation_id: uuid,
        organization_id: uuid,
        agent_id: uuid,
        started_by: uuid,
        title: text,
        message_count: int,
        created_at: timestamp,
        updated_at: timestamp,
        /** The deadline of the pending reply. */
        reply_due_at: orNull(timestamp),
        deleted_at: orNull(timestamp),
        /** The call that the reply waits for, since when, and the message that is answered. */
        approval_id: orNull(uuid),
        approval_at: orNull(timestamp),
        approval_for: orNull(uuid),
        /** Of the reply that is being written, or that failed. */
        approvals: withDefault(json<readonly ApprovalRow[]>(), "'[]'"),
        /** For a reply that is continued or failed. */
        tool_calls: withDefault(json<readonly unknown[]>(), "'[]'"),
      },
      indexes: [
        `(organization_id, approval_at, approval_id) where ${IS_WAITING}`,
        '(organization_id, started_by, agent_id, created_at, conversation_id) where deleted_at is null',
      ],
    }),
    conversation_messages: table({
      key: ['message_id'],
      columns: {
        message_id: uuid,
        organization_id: uuid,
        conversation_id: uuid,
        ordinal: bigint,
        role: text,
        content: text,
        sources: json<unknown>(),
        tool_calls: withDefault(json<unknown>(), "'[]'"),
        in_reply_to: orNull(uuid),
        is_stopped: boolean,
        usage: withDefault(json<readonly ModelUsage[]>(), "'[]'"),
        attachments: withDefault(json<readonly Attachment[]>(), "'[]'"),
        /** Those that a reply waited for. */
        approvals: withDefault(json<readonly ApprovalRow[]>(), "'[]'"),
        created_at: timestamp,
      },
      writeIndexes: ['(conversation_id, ordinal)'],
    }),
  },
});

const CONVERSATION = selectOf(Conversation, conversationsModel.tables.conversations, 'c', {
  id: 'c.conversation_id',
});

const OWN = `c.organization_id = me.organization_id and c.started_by = me.user_id
  and c.deleted_at is null`;

export const readConversations = readPage(
  'conversations',
  {
    table: 'read_model.conversations',
    as: 'c',
    at: 'created_at',
    id: 'conversation_id',
    where: 'c.deleted_at is null',
    pins: { started_by: 'me.user_id', agent_id: 'p_agent' },
    select: CONVERSATION,
  },
  { agent: 'uuid' },
);

export const readConversation = readOne(
  'conversation',
  { id: 'uuid' },
  `select ${CONVERSATION}, coalesce(c.reply_due_at > now(), false) as "replyPending",
     ${approvalsOf('c.approvals')} as approvals, c.tool_calls as "toolCalls",
     coalesce((select json_agg(json_build_object('id', m.message_id,
       'role', m.role, 'content', m.content, 'sources', m.sources,
       'toolCalls', m.tool_calls, 'approvals', ${approvalsOf('m.approvals')},
       'stopped', m.is_stopped, 'rating', ${ownRating('m.message_id')},
       'usage', m.usage, 'attachments', m.attachments, 'createdAt', m.created_at)
       order by m.ordinal)
     from read_model.conversation_messages m
     where m.conversation_id = c.conversation_id), '[]') as messages
   from read_model.conversations c where ${OWN} and c.conversation_id = p_id`,
);

/** The caller's own conversations after an id, whole. */
export const readOwnConversations = readMany(
  'own_conversations',
  { after: 'uuid', limit: 'int' },
  `select c.conversation_id as id, c.agent_id as "agentId", c.title, c.created_at as "createdAt",
     coalesce((select json_agg(json_build_object('id', m.message_id, 'role', m.role,
       'content', m.content, 'attachments', m.attachments, 'createdAt', m.created_at)
       order by m.ordinal)
     from read_model.conversation_messages m
     where m.conversation_id = c.conversation_id), '[]') as messages
   from read_model.conversations c
   where ${OWN} and (p_after is null or c.conversation_id > p_after)
   order by c.conversation_id limit p_limit`,
);
