import { readModel, readOne, readPage } from '../../kernel/read-model.ts';

/** Seen by whoever started it and by nobody else, Admins included. */
export const conversationsModel = readModel({
  name: 'conversations',
  feature: 'chat',
  version: 3,
  tables: {
    conversations: `
      conversation_id uuid primary key,
      organization_id uuid not null,
      agent_id uuid not null,
      started_by uuid not null,
      title text not null,
      message_count int not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      reply_due_at timestamptz,
      deleted_at timestamptz`,
    conversation_messages: `
      message_id uuid primary key,
      organization_id uuid not null,
      conversation_id uuid not null,
      ordinal bigint not null,
      role text not null,
      content text not null,
      sources jsonb not null,
      tool_calls jsonb not null default '[]',
      in_reply_to uuid,
      is_stopped boolean not null,
      created_at timestamptz not null`,
  },
  indexes: [
    `create index on read_model.conversations
      (organization_id, started_by, agent_id, created_at, conversation_id)
      where deleted_at is null`,
  ],
  writeIndexes: ['create index on read_model.conversation_messages (conversation_id, ordinal)'],
});

export type ConversationsTable = {
  conversation_id: string;
  organization_id: string;
  agent_id: string;
  started_by: string;
  title: string;
  message_count: number;
  created_at: string;
  updated_at: string;
  /** Until when the reply that is being written is waited for. */
  reply_due_at: string | null;
  deleted_at: string | null;
};

export type ConversationMessagesTable = {
  message_id: string;
  organization_id: string;
  conversation_id: string;
  ordinal: number;
  role: string;
  content: string;
  sources: unknown;
  tool_calls: unknown;
  in_reply_to: string | null;
  is_stopped: boolean;
  created_at: string;
};

const CONVERSATION = `
  c.conversation_id as id, c.agent_id as "agentId", c.title, c.message_count as "messageCount",
  c.created_at as "createdAt", c.updated_at as "updatedAt"`;

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
     coalesce((select json_agg(json_build_object('id', m.message_id,
       'role', m.role, 'content', m.content, 'sources', m.sources,
       'toolCalls', m.tool_calls,
       'stopped', m.is_stopped, 'createdAt', m.created_at)
       order by m.ordinal)
     from read_model.conversation_messages m
     where m.conversation_id = c.conversation_id), '[]') as messages
   from read_model.conversations c where ${OWN} and c.conversation_id = p_id`,
);
