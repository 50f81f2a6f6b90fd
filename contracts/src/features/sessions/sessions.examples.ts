export const sessionExample = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  agentName: 'Support',
  status: 'completed',
  currentStep: 1,
  maxSteps: 15,
  freeSteps: 0,
  originalGoal: 'Report the title of https://plans.example/',
  context: null,
  totalCreditsUsed: 1,
  createdAt: '2027-01-31T09:30:00.000Z',
  startedAt: '2027-01-31T09:30:00.072Z',
  endedAt: '2027-01-31T09:30:01.075Z',
  browserSessionId: '0193a1b2-0000-7000-8000-000000000003',
  model: 'built-in engine',
  endReason: 'goal-reached',
  errorMessage: null,
  errorCode: null,
  errorParams: {},
  requestedBy: { id: '0193a1b2-0000-7000-8000-000000000004', name: 'Ada Lovelace' },
  takenOverBy: null,
  approvalId: null,
  queuePosition: null,
  workspaceData: {
    finalOutcome: {
      summary: 'The title is Plans.',
      nextSteps: [],
      totalSteps: 1,
      keyFindings: ['Title: Plans (https://plans.example/)'],
      totalCredits: 1,
    },
  },
} as const;

const steps = [
  {
    id: '0193a1b2-0000-7000-8000-000000000005',
    stepNumber: 1,
    action: 'open',
    toolUsed: 'browser',
    input: 'https://plans.example/',
    output: 'Opened “Plans” (https://plans.example/).',
    reasoning: 'Next address to open.',
    success: true,
    interrupted: false,
    creditsUsed: 1,
    executionTimeMs: 480,
    createdAt: '2027-01-31T09:30:00.651Z',
    usage: [
      {
        connectionId: null,
        model: 'gpt-4o-mini',
        calls: 1,
        inputTokens: 1_240,
        cachedTokens: 1_024,
        outputTokens: 86,
        isEstimated: false,
        latencyMs: 912,
        costMicros: 161,
      },
    ],
    takenBy: null,
    finding: null,
    charge: {
      sequence: 3,
      amount: 1,
      price: 1,
      memberId: '0193a1b2-0000-7000-8000-000000000004',
      memberName: 'Ada Lovelace',
      at: '2027-01-31T09:30:00.651Z',
      hash: '3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
    },
    metadata: {
      url: 'https://plans.example/',
      title: 'Plans',
      screenshots: [],
      screenshotUrls: [
        '/api/blobs/3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80',
      ],
    },
  },
] as const;

const approvals = [
  {
    id: '0193a1b2-0000-7000-8000-000000000006',
    toolId: '0193a1b2-0000-7000-8000-000000000007',
    toolName: 'Orders',
    toolVersion: 2,
    operation: 'refundOrder',
    arguments: '{"orderId":"7"}',
    step: null,
    createdAt: '2027-01-31T09:30:00.651Z',
    expiresAt: '2027-01-31T10:00:00.651Z',
    decision: 'approved',
    changedArguments: null,
    note: null,
    forRun: false,
    decidedAt: '2027-01-31T09:30:41.200Z',
    decidedBy: { id: '0193a1b2-0000-7000-8000-000000000004', name: 'Ada Lovelace' },
  },
] as const;

export const stepsExample = { steps };

export const sessionDetailExample = { session: sessionExample, approvals, steps };
