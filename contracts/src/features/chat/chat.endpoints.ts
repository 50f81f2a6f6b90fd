import { z } from 'zod';
import { AGENT_MANAGERS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { OrganizationQueueFull, ServerQueueFull } from '../../kernel/problem.ts';
import { AgentPausedNow } from '../agents/agents.refusals.ts';
import { Attachment } from '../attachments/attachments.endpoints.ts';
import { AttachmentIds } from '../attachments/attachments.fields.ts';
import { ModelTakesNoImages } from '../attachments/attachments.refusals.ts';
import { ModelUsage } from '../models/model-usage.ts';
import { OwnRating } from '../ratings/ratings.fields.ts';
import { APPROVAL_HOURS, DecideApprovalInput } from '../tasks/approvals.endpoints.ts';
import { Approval } from '../tasks/approvals.fields.ts';
import { ToolCall } from '../tasks/tasks.endpoints.ts';
import { APPROVAL_DECISIONS, TaskSource } from '../tasks/tasks.events.ts';
import { ApprovalDecided, ApprovalLapsed } from '../tasks/tasks.refusals.ts';
import {
  AgentUnavailable,
  ChatLimitReached,
  ConversationFull,
  NothingToAnswer,
  ReplyNotWritten,
  ReplyPending,
  TokenBudgetExceeded,
} from './chat.refusals.ts';

export const MESSAGE_MAX = 8_000;
export const MESSAGE_TOO_LONG = `Message must be at most ${MESSAGE_MAX} characters` as const;
export const TITLE_MAX = 100;

export const ChatMessage = z.object({
  id: Id,
  role: z.enum(['user', 'agent']),
  content: z.string(),
  /** The sources of an answer. */
  sources: z.array(TaskSource),
  /** The tool calls of an answer; `input` and `output` without secrets. */
  toolCalls: z.array(ToolCall),
  /** The calls that the answer waited for, with their decisions. */
  approvals: z.array(Approval),
  /** The answer was stopped and is incomplete. */
  stopped: z.boolean(),
  /** Of an answer, by the member who reads it. */
  rating: OwnRating.nullable(),
  /** The model calls of an answer. */
  usage: z.array(ModelUsage),
  /** Of a message of the member. */
  attachments: z.array(Attachment),
  createdAt: Instant,
});
export type ChatMessage = z.infer<typeof ChatMessage>;

/** Visible only to the member who started it. */
export const Conversation = z.object({
  id: Id,
  agentId: Id,
  title: z.string(),
  messageCount: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Conversation = z.infer<typeof Conversation>;

export const ConversationDetail = Conversation.extend({
  /** A reply to the last message is being generated. */
  replyPending: z.boolean(),
  /**
   * The calls that this reply waited for, or waits for: the last one if it has no decision. If the
   * reply failed, they stay until the message is answered again.
   */
  approvals: z.array(Approval),
  /** The calls of tools for a reply that waited, until it is written. */
  toolCalls: z.array(ToolCall),
  messages: z.array(ChatMessage),
});
export type ConversationDetail = z.infer<typeof ConversationDetail>;

export const ChatReply = z.object({
  response: z.string(),
  conversationId: Id,
  /** The reply's id. */
  messageId: Id,
  sources: z.array(TaskSource),
  toolCalls: z.array(ToolCall),
  /** The reply was stopped: `response` is incomplete. */
  stopped: z.boolean(),
});
export type ChatReply = z.infer<typeof ChatReply>;

/** The first event of a streamed reply: the message that is answered. */
export const ReplyBegun = z.object({ conversationId: Id, messageId: Id });
export type ReplyBegun = z.infer<typeof ReplyBegun>;
/** A reply that waits for a decision on a call of a tool. */
export const ReplyWaits = ReplyBegun.extend({ approvalId: Id });
export type ReplyWaits = z.infer<typeof ReplyWaits>;

/** The event `text`: the next piece of the reply. */
export const ReplyPiece = z.object({ piece: z.string() });
export type ReplyPiece = z.infer<typeof ReplyPiece>;

const params = z.strictObject({ id: Id });
const feature = 'chat';
const REPLYING = [
  OrganizationQueueFull,
  ServerQueueFull,
  AgentPausedNow,
  AgentUnavailable,
  ChatLimitReached,
  ReplyPending,
  ReplyNotWritten,
  TokenBudgetExceeded,
];

const chatReplyExample: ChatReply = {
  sources: [],
  toolCalls: [
    {
      ordinal: 1,
      toolId: '0193a1b2-0000-7000-8000-000000000001',
      toolName: 'Orders',
      step: null,
      input: 'getOrder {"orderId":"7"}',
      output: '{"order":7,"state":"sent"}',
      success: true,
      executionTimeMs: 9,
    },
  ],
  response: '**Orders** answered:\n\n- order: 7\n- state: sent',
  conversationId: '0193a1b2-0000-7000-8000-000000000002',
  messageId: '0193a1b2-0000-7000-8000-000000000003',
  stopped: false,
};

export const chatWithAgent = endpoint({
  name: 'chatWithAgent',
  method: 'POST',
  path: '/api/agents/{id}/chat',
  access: MEMBERS,
  feature,
  summary: 'Send a chat message',
  description:
    'Sends a message to an agent and returns its reply. Chat costs no credits. Without `conversationId`, a new conversation begins. Answers 202 if a call of a tool needs approval: the reply is written after the decision.',
  params,
  body: z.strictObject({
    message: z
      .string({ error: 'Message is required' })
      .trim()
      .min(1, 'Message is required')
      .max(MESSAGE_MAX, MESSAGE_TOO_LONG),
    /** Without it, a new conversation starts. */
    conversationId: z.uuid({ error: 'conversationId must be an id' }).optional(),
    attachments: AttachmentIds.meta({
      description: 'Ids of uploaded files, for this conversation. Each can be sent once.',
    }).optional(),
  }),
  example: { message: 'How long can items be returned?' },
  status: 200,
  answer: ChatReply,
  answerExample: chatReplyExample,
  waits: ReplyWaits,
  streamed: { started: ReplyBegun, text: ReplyPiece },
  refusals: [...REPLYING, ConversationFull, ModelTakesNoImages],
});
export const regenerateReply = endpoint({
  name: 'regenerateReply',
  method: 'POST',
  path: '/api/conversations/{id}/regenerate',
  access: MEMBERS,
  feature,
  summary: 'Regenerate a reply',
  description: 'Answers the last message again. The new reply replaces the previous one.',
  params,
  status: 200,
  answer: ChatReply,
  answerExample: chatReplyExample,
  waits: ReplyWaits,
  streamed: { started: ReplyBegun, text: ReplyPiece },
  refusals: [...REPLYING, NothingToAnswer],
});
export const decideReplyApproval = endpoint({
  name: 'decideReplyApproval',
  method: 'POST',
  path: '/api/conversations/{id}/decide',
  access: AGENT_MANAGERS,
  feature,
  summary: 'Decide on a call in a chat',
  description: `Approves or refuses a call that an agent wants to make for a reply, in any member’s conversation. The reply is continued in the background: after an approval the agent makes the call, after a refusal it reads the note. Without a decision within ${APPROVAL_HOURS} hours there is no reply.`,
  params,
  body: DecideApprovalInput,
  example: {
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
    note: 'Ask the customer for the order number first.',
  },
  status: 200,
  answer: z.object({
    conversationId: Id,
    approvalId: Id,
    decision: z.enum(APPROVAL_DECISIONS),
  }),
  answerExample: {
    conversationId: '0193a1b2-0000-7000-8000-000000000002',
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
  },
  refusals: [ApprovalDecided, ApprovalLapsed],
});
export const stopReply = endpoint({
  name: 'stopReply',
  method: 'POST',
  path: '/api/conversations/{id}/stop',
  access: MEMBERS,
  feature,
  summary: 'Stop a reply',
  description: 'Stops the reply that is being written. The text written so far is kept.',
  params,
  status: 204,
});
export const listConversations = endpoint({
  name: 'listConversations',
  method: 'GET',
  path: '/api/agents/{id}/conversations',
  access: MEMBERS,
  feature,
  summary: 'List conversations',
  description: 'Returns the caller’s conversations with an agent, newest first.',
  params,
  query: Page,
  status: 200,
  answer: z.array(Conversation),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      agentId: '0193a1b2-0000-7000-8000-000000000002',
      title: 'Hello',
      messageCount: 2,
      createdAt: '2027-01-31T09:30:00.000Z',
      updatedAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
export const getConversation = endpoint({
  name: 'getConversation',
  method: 'GET',
  path: '/api/conversations/{id}',
  access: MEMBERS,
  feature,
  summary: 'Retrieve a conversation',
  description: 'Returns one of the caller’s conversations with its messages, oldest first.',
  params,
  status: 200,
  answer: ConversationDetail,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    agentId: '0193a1b2-0000-7000-8000-000000000002',
    title: 'Orders: where is order 7?',
    messageCount: 2,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
    replyPending: false,
    approvals: [],
    toolCalls: [],
    messages: [
      {
        id: '0193a1b2-0000-7000-8000-000000000003',
        role: 'user',
        content: 'Orders: where is order 7?',
        sources: [],
        toolCalls: [],
        approvals: [],
        stopped: false,
        rating: null,
        usage: [],
        attachments: [],
        createdAt: '2027-01-31T09:30:00.000Z',
      },
      {
        id: '0193a1b2-0000-7000-8000-000000000004',
        role: 'agent',
        content: '**Orders** answered:\n\n- order: 7\n- state: sent',
        sources: [],
        toolCalls: [
          {
            step: null,
            input: 'getOrder {"orderId":"7"}',
            output: '{"order":7,"state":"sent"}',
            toolId: '0193a1b2-0000-7000-8000-000000000005',
            ordinal: 1,
            success: true,
            toolName: 'Orders',
            executionTimeMs: 9,
          },
        ],
        approvals: [],
        stopped: false,
        rating: null,
        usage: [],
        attachments: [],
        createdAt: '2027-01-31T09:30:00.000Z',
      },
    ],
  },
});
export const renameConversation = endpoint({
  name: 'renameConversation',
  method: 'PUT',
  path: '/api/conversations/{id}',
  access: MEMBERS,
  feature,
  summary: 'Rename a conversation',
  description: 'Changes the title of one of the caller’s conversations.',
  params,
  body: z.strictObject({
    title: z
      .string({ error: 'Title is required' })
      .trim()
      .min(1, 'Title is required')
      .max(TITLE_MAX, `Title must be at most ${TITLE_MAX} characters`),
  }),
  example: { title: 'Returns' },
  status: 200,
  answer: z.object({ id: Id, title: z.string() }),
  answerExample: { id: '0193a1b2-0000-7000-8000-000000000001', title: 'Sending back' },
});
export const deleteConversation = endpoint({
  name: 'deleteConversation',
  method: 'DELETE',
  path: '/api/conversations/{id}',
  access: MEMBERS,
  feature,
  summary: 'Delete a conversation',
  description: 'Deletes one of the caller’s conversations.',
  params,
  status: 204,
});
