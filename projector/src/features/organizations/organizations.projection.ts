import { organizationEvents } from '@tallyhand/contracts/features/organizations/organizations.events';
import { organizationsModel } from '@tallyhand/read-models/features/organizations/organizations.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const organizationsProjection = rowProjection({
  model: organizationsModel,
  kinds: organizationEvents,
  table: 'organizations',
  idOf: ({ organizationId }) => organizationId,
  first: {
    OrganizationRegistered: (_, { at }) => ({
      registered_at: at,
      embedding_source: 'default',
      embedding_connection: null,
      chat_tokens: null,
    }),
  },
  next: {
    MemberJoined: 'ignored',
    MemberRoleChanged: 'ignored',
    MemberDeactivated: 'ignored',
    MemberReactivated: 'ignored',
    OrganizationClosed: 'ignored',
    RetentionRuleChanged: 'ignored',
    LegalHoldPlaced: 'ignored',
    LegalHoldLifted: 'ignored',
    ChatTokenBudgetSet: (_, { monthlyTokens }) => ({ chat_tokens: monthlyTokens }),
    EmbeddingModelChosen: (_, { source, connectionId }) => ({
      embedding_source: source,
      embedding_connection: connectionId,
    }),
  },
});
