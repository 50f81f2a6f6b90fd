import { z } from 'zod';
import { HISTORY_READERS, MEMBERS } from '../../kernel/access.ts';
import { AsOfQuery } from '../../kernel/as-of.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { NotFound } from '../../kernel/problem.ts';

export const Organization = z.object({
  id: Id,
  name: z.string(),
  /** Credits that can be spent now: posted minus reserved. */
  creditBalance: z.int(),
  reserved: z.int(),
});
export type Organization = z.infer<typeof Organization>;

/** Without deleted ones. */
export const OrganizationStats = z.object({
  agents: z.int(),
  activeAgents: z.int(),
  articles: z.int(),
  /** Whether one of the newest 100 agents has an article, playbook or tool. */
  hasAssignedAgent: z.boolean(),
  /** Whether there is another member, or has been an invitation by email. */
  hasTeammates: z.boolean(),
});
export type OrganizationStats = z.infer<typeof OrganizationStats>;

export const getOrganization = endpoint({
  name: 'getOrganization',
  method: 'GET',
  path: '/api/organization',
  access: HISTORY_READERS,
  feature: 'organizations',
  summary: 'Retrieve the organization',
  description: 'Returns the caller’s organization with its balance.',
  query: AsOfQuery,
  status: 200,
  answer: Organization,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Harbour Goods',
    creditBalance: 600,
    reserved: 1,
  },
  // With `asOf`, before the organization was registered.
  refusals: [NotFound],
});
export const getOrganizationStats = endpoint({
  name: 'getOrganizationStats',
  method: 'GET',
  path: '/api/organization/stats',
  access: MEMBERS,
  feature: 'organizations',
  summary: 'Retrieve organization figures',
  description:
    'Returns how many agents and articles the organization has, and whether it has assigned and invited.',
  status: 200,
  answer: OrganizationStats,
  answerExample: {
    agents: 4,
    activeAgents: 3,
    articles: 16,
    hasAssignedAgent: true,
    hasTeammates: true,
  },
});
