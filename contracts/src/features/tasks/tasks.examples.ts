export const executeTasksExample = {
  tasks: [
    {
      idempotencyKey: 'question-1',
      status: 202,
      taskId: '0193a1b2-0000-7000-8000-000000000001',
      problem: null,
    },
    {
      idempotencyKey: 'question-2',
      status: 402,
      taskId: null,
      problem: {
        type: 'about:blank',
        title: 'Not enough credits',
        status: 402,
        detail: 'This needs 1 credit, and 0 are available.',
        code: 'insufficient-credits',
        params: { available: 0, requested: 1 },
      },
    },
  ],
} as const;

export const executionResultExample = {
  taskId: '0193a1b2-0000-7000-8000-000000000001',
  success: true,
  output: '> Items can be returned within 30 days of delivery.\n\n— “Returns”',
  error: null,
  errorCode: null,
  errorParams: {},
  creditCost: 1,
  reasoning: 'Best match: “Returns”, passage 1 (97% confidence).',
  executionTimeMs: 52,
  sources: [
    {
      articleId: '0193a1b2-0000-7000-8000-000000000002',
      articleVersion: 1,
      articleTitle: 'Returns',
      ordinal: 0,
      quote: 'Items can be returned within 30 days of delivery.',
    },
  ],
} as const;

export const taskDetailExample = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  type: 'playbook',
  status: 'success',
  input: 'Anna wants to return order 7',
  output:
    '### 1. Look up the state of the order\n\n**Orders** answered:\n\n- order: 7\n- state: sent\n\n### 2. Within how many days can items be returned?\n\n> Items can be returned within 30 days of delivery.\n\n— “Returns”',
  errorMessage: null,
  errorCode: null,
  errorParams: {},
  reasoning: 'Followed the playbook "Refund a customer" (version 1), 2 steps in order.',
  executionTimeMs: 103,
  creditCost: 1,
  createdAt: '2027-01-31T09:30:00.000Z',
  requestedBy: { id: '0193a1b2-0000-7000-8000-000000000003', name: 'Ada Lovelace' },
  rating: { up: 1, down: 0, own: null },
  usage: [],
  context: null,
  metadata: null,
  retryOf: null,
  attachments: [],
  comparison: null,
  agentName: 'Support',
  model: 'built-in engine',
  playbook: { id: '0193a1b2-0000-7000-8000-000000000004', title: 'Refund a customer', version: 1 },
  steps: [
    {
      output: '**Orders** answered:\n\n- order: 7\n- state: sent',
      ordinal: 1,
      instruction: 'Look up the state of the order',
      executionTimeMs: 19,
    },
    {
      output: '> Items can be returned within 30 days of delivery.\n\n— “Returns”',
      ordinal: 2,
      instruction: 'Within how many days can items be returned?',
      executionTimeMs: 24,
    },
  ],
  toolCalls: [
    {
      step: 1,
      input: 'getOrder {"orderId":"7"}',
      output: '{"order":7,"state":"sent"}',
      toolId: '0193a1b2-0000-7000-8000-000000000005',
      ordinal: 1,
      success: true,
      toolName: 'Orders',
      executionTimeMs: 8,
    },
  ],
  approvals: [],
  sources: [
    {
      quote: 'Items can be returned within 30 days of delivery.',
      ordinal: 0,
      articleId: '0193a1b2-0000-7000-8000-000000000006',
      articleTitle: 'Returns',
      articleVersion: 1,
    },
  ],
  charge: {
    sequence: 3,
    amount: 1,
    price: 1,
    memberId: '0193a1b2-0000-7000-8000-000000000003',
    memberName: 'Ada Lovelace',
    at: '2027-01-31T09:30:00.198Z',
    hash: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
  },
  ratings: [
    {
      rating: 'up',
      reason: null,
      ratedBy: { id: '0193a1b2-0000-7000-8000-000000000007', name: 'Grace Hopper' },
      updatedAt: '2027-01-31T09:35:00.000Z',
    },
  ],
} as const;

export const taskStatsExample = {
  total: 9,
  success: 8,
  failed: 1,
  running: 0,
  waiting: 0,
  waitingCalls: 0,
  createdThisMonth: 8,
  creditsUsed: 8,
  latestDays: [{ day: '2027-01-31', tasks: 9, failed: 1, credits: 8 }],
} as const;

export const taskExample = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  type: 'query',
  status: 'success',
  input: 'How long can items be returned?',
  output: '> Items can be returned within 30 days of delivery.\n\n— “Returns”',
  errorMessage: null,
  errorCode: null,
  errorParams: {},
  reasoning: 'Best match: “Returns”, passage 1 (97% confidence).',
  executionTimeMs: 52,
  creditCost: 1,
  createdAt: '2027-01-31T09:30:00.000Z',
  requestedBy: { id: '0193a1b2-0000-7000-8000-000000000003', name: 'Ada Lovelace' },
  rating: { up: 1, down: 0, own: null },
  truncated: false,
} as const;
