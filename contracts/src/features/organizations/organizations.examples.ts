import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as organizations from './organizations.endpoints.ts';

export const organizationsExamples: AnswerExamples<typeof organizations> = {
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
};
