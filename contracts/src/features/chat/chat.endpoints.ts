import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { TaskSource } from '../tasks/tasks.events.ts';

export const MESSAGE_MAX = 8_000;
export const TITLE_MAX = 100;

export const ChatMessage = z.object({
  id: Id,
  role: z.enum(['user', 'agent']),
  content: z.string(),
  /** What an answer of the agent rests on. */
  sources: z.array(TaskSource),
  createdAt: Instant,
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** Seen by nobody but the member who started it. */
export const Conversation = z.object({
  id: Id,
  agentId: Id,
  title: z.string(),
  messageCount: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Conversation = z.infer<typeof Conversation>;

export const ConversationDetail = Conversation.extend({ messages: z.array(ChatMessage) });
export type ConversationDetail = z.infer<typeof ConversationDetail>;

export const ChatReply = z.object({
  response: z.string(),
  conversationId: Id,
  sources: z.array(TaskSource),
});
export type ChatReply = z.infer<typeof ChatReply>;

const params = z.strictObject({ id: Id });
const feature = 'chat';

export const chatWithAgent = endpoint({
  name: 'chatWithAgent',
  method: 'POST',
  path: '/api/agents/{id}/chat',
  feature,
  summary: 'Say something to an agent and get its answer; free of charge',
  params,
  body: z.strictObject({
    message: z
      .string({ error: 'Message is required' })
      .trim()
      .min(1, 'Message is required')
      .max(MESSAGE_MAX, `Message must be at most ${MESSAGE_MAX} characters`),
    /** Without it a new conversation begins. */
    conversationId: z.uuid({ error: 'conversationId must be an id' }).optional(),
  }),
  status: 200,
  answer: ChatReply,
  refusals: ['agent-paused', 'agent-unavailable', 'conversation-full'],
});
export const listConversations = endpoint({
  name: 'listConversations',
  method: 'GET',
  path: '/api/agents/{id}/conversations',
  feature,
  summary: 'The own conversations with an agent, the newest first',
  params,
  query: Page,
  status: 200,
  answer: z.array(Conversation),
});
export const getConversation = endpoint({
  name: 'getConversation',
  method: 'GET',
  path: '/api/conversations/{id}',
  feature,
  summary: 'One of the own conversations with its messages, the oldest first',
  params,
  status: 200,
  answer: ConversationDetail,
});
export const renameConversation = endpoint({
  name: 'renameConversation',
  method: 'PUT',
  path: '/api/conversations/{id}',
  feature,
  summary: 'Give one of the own conversations another title',
  params,
  body: z.strictObject({
    title: z
      .string({ error: 'Title is required' })
      .trim()
      .min(1, 'Title is required')
      .max(TITLE_MAX, `Title must be at most ${TITLE_MAX} characters`),
  }),
  status: 200,
  answer: z.object({ id: Id, title: z.string() }),
});
export const deleteConversation = endpoint({
  name: 'deleteConversation',
  method: 'DELETE',
  path: '/api/conversations/{id}',
  feature,
  summary: 'Delete one of the own conversations',
  params,
  status: 204,
});
