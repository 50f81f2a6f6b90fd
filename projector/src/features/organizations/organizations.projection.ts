import {
  type OrganizationEvent,
  organizationEvents,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import { organizationsModel } from '@tallyhand/read-models/features/organizations/organizations.tables';
import { projection } from '../../kernel/projection.ts';

export const organizationsProjection = projection<OrganizationEvent>({
  model: organizationsModel,
  kinds: organizationEvents,
  on: {
    OrganizationRegistered: (tx, { organizationId, name }, { at }) =>
      tx
        .insertInto('organizations')
        .values({ organization_id: organizationId, name, registered_at: at })
        .execute(),
    MemberJoined: 'ignored',
    MemberRoleChanged: 'ignored',
    MemberDeactivated: 'ignored',
    MemberReactivated: 'ignored',
    OrganizationClosed: 'ignored',
  },
});
