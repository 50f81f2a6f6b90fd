import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as organizations from './organizations.endpoints.ts';
import type * as retention from './retention.endpoints.ts';

export const organizationsExamples: AnswerExamples<typeof organizations & typeof retention> = {
  Organization: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Harbour Goods',
    creditBalance: 600,
    reserved: 1,
  },
  OrganizationStats: {
    agents: 4,
    activeAgents: 3,
    articles: 16,
    hasAssignedAgent: true,
    hasTeammates: true,
  },
  Retention: {
    days: 365,
    hold: {
      reason: 'Case 2026-114',
      placedAt: '2026-03-02T09:30:00.000Z',
      placedBy: '0193a1b2-0000-7000-8000-000000000002',
    },
    waiting: 2,
    nextDueAt: null,
  },
  RetentionRule: { days: 365 },
  LegalHold: { reason: 'Case 2026-114' },
};
