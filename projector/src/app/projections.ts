import { agentsProjection } from '../features/agents/agents.projection.ts';
import { creditBalancesProjection } from '../features/credits/credit-balances.projection.ts';
import { ledgerEntriesProjection } from '../features/credits/ledger-entries.projection.ts';
import { articlesProjection } from '../features/knowledge/articles.projection.ts';
import { passagesProjection } from '../features/knowledge/passages.projection.ts';
import { organizationsProjection } from '../features/organizations/organizations.projection.ts';
import { tasksProjection } from '../features/tasks/tasks.projection.ts';
import { invitationsProjection } from '../features/team/invitations.projection.ts';
import { membersProjection } from '../features/team/members.projection.ts';
import type { Projection } from '../kernel/projection.ts';

export const projections: readonly Projection[] = [
  organizationsProjection,
  membersProjection,
  invitationsProjection,
  creditBalancesProjection,
  ledgerEntriesProjection,
  agentsProjection,
  articlesProjection,
  passagesProjection,
  tasksProjection,
];
