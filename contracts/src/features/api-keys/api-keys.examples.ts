import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as apiKeys from './api-keys.endpoints.ts';

export const apiKeysExamples: AnswerExamples<typeof apiKeys> = {
  NewApiKey: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Order sync',
    role: 'Viewer',
    expiresAt: null,
    key: 'th_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  },
  ApiKey: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Order sync',
    role: 'Editor',
    status: 'active',
    createdBy: {
      id: '0193a1b2-0000-7000-8000-000000000002',
      name: 'Ada Lovelace',
    },
    createdAt: '2027-01-31T09:30:00.000Z',
    expiresAt: null,
    lastUsedAt: '2027-01-31T09:30:00.000Z',
  },
};
