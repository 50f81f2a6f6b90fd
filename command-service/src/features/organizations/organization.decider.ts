import type { Role } from '@tallyhand/contracts/features/identity/role';
import {
  MemberJoined,
  type OrganizationEvent,
  OrganizationRegistered,
  organizationEvents,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider } from '../../kit/decider.ts';

type OrganizationCommand =
  | EventValue<'RegisterOrganization', Parameters<typeof OrganizationRegistered>[0]>
  | EventValue<'AddMember', Parameters<typeof MemberJoined>[0]>;

export type Organization = {
  readonly name: string | null;
  readonly members: ReadonlyMap<string, Role>;
};

export const organizationDecider: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  category: 'organization',
  kinds: organizationEvents,
  initialState: () => ({ name: null, members: new Map() }),
  decide(command, organization) {
    switch (command.type) {
      case 'RegisterOrganization':
        return organization.name === null ? [OrganizationRegistered(command.data)] : [];
      case 'AddMember':
        return organization.members.has(command.data.userId) ? [] : [MemberJoined(command.data)];
    }
  },
  evolve(organization, event) {
    switch (event.type) {
      case 'OrganizationRegistered':
        return { ...organization, name: event.data.name };
      case 'MemberJoined': {
        const { userId, role } = event.data;
        return { ...organization, members: new Map(organization.members).set(userId, role) };
      }
    }
  },
};
