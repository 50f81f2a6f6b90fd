import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as agents from './agents.endpoints.ts';

export const agentsExamples: AnswerExamples<typeof agents> = {
  Assignments: {
    articles: ['0193a1b2-0000-7000-8000-000000000001'],
    playbooks: ['0193a1b2-0000-7000-8000-000000000002'],
    tools: ['0193a1b2-0000-7000-8000-000000000003'],
    version: 1,
  },
  AgentSummary: {
    agentId: '0193a1b2-0000-7000-8000-000000000001',
    articles: [{ id: '0193a1b2-0000-7000-8000-000000000002', name: 'Returns' }],
    playbooks: [],
    tools: [],
    tasks: { success: 12, failed: 1, cancelled: 0, open: 0 },
    lastRunAt: '2027-01-31T09:30:00.000Z',
    credits: { last30Days: 5, total: 12 },
    modelCost: {
      last30Days: { calls: 7, estimatedCalls: 0, unpricedCalls: 0, costMicros: 4_210 },
      total: { calls: 19, estimatedCalls: 0, unpricedCalls: 2, costMicros: 11_640 },
    },
  },
  Agent: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Support',
    description: 'Answers the questions of customers',
    personaConfig: {
      role: 'Support agent',
      expertise: ['Returns'],
      personality: 'Patient, precise and kind',
      responseFormat: 'concise',
      communicationStyle: 'friendly',
    },
    isActive: true,
    model: null,
    formPolicy: 'ask',
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
};
