import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as chat from './chat.endpoints.ts';
import type * as chatBudget from './chat-budget.endpoints.ts';

export const chatExamples: AnswerExamples<typeof chat & typeof chatBudget> = {
  ChatBudget: {
    monthlyTokens: 5_000_000,
    usedTokens: 1_204_310,
    resetsAt: '2027-02-01T00:00:00.000Z',
  },
  setChatBudget: { monthlyTokens: 5_000_000 },
  ChatReply: {
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
  },
  decideReplyApproval: {
    conversationId: '0193a1b2-0000-7000-8000-000000000002',
    approvalId: '0193a1b2-0000-7000-8000-000000000006',
    decision: 'refused',
  },
  ConversationDetail: {
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
  Conversation: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    agentId: '0193a1b2-0000-7000-8000-000000000002',
    title: 'Hello',
    messageCount: 2,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  renameConversation: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Sending back',
  },
};
