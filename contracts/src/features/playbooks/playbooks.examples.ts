import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as playbooks from './playbooks.endpoints.ts';

export const playbooksExamples: AnswerExamples<typeof playbooks> = {
  Playbook: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Refund a customer',
    description: 'What to do for a customer who wants money back',
    steps: ['Find the order', 'Check its date'],
    category: 'Customer Support',
    tags: [],
    estimatedDuration: 30,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
};
