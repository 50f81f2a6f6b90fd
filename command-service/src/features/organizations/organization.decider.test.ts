import {
  MemberJoined,
  OrganizationRegistered,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { organizationDecider } from './organization.decider.ts';

const organizationId = derivedId('organization');
const admin = {
  organizationId,
  userId: derivedId('admin'),
  role: 'Admin',
  invitationId: null,
} as const;
const viewer = {
  ...admin,
  userId: derivedId('viewer'),
  role: 'Viewer',
  invitationId: derivedId('invitation'),
} as const;

const register = (name: string) => ({
  type: 'RegisterOrganization' as const,
  data: { organizationId, name },
});
const add = (member: Parameters<typeof MemberJoined>[0]) => ({
  type: 'AddMember' as const,
  data: member,
});

const registered = OrganizationRegistered({ organizationId, name: 'Harbour' });

const given = rulesOf(organizationDecider);

describe('RegisterOrganization', () => {
  it('gives the organization its name', () => {
    given().when(register('Harbour')).thenAppended(registered);
  });
  it('does nothing the second time it arrives', () => {
    given(registered).when(register('Harbour')).thenNothing();
  });
});

describe('AddMember', () => {
  it('adds the member with their role', () => {
    given(registered).when(add(admin)).thenAppended(MemberJoined(admin));
    given(registered, MemberJoined(admin)).when(add(viewer)).thenAppended(MemberJoined(viewer));
  });
  it('does nothing the second time it arrives, whatever role it names', () => {
    given(registered, MemberJoined(viewer)).when(add(viewer)).thenNothing();
    given(registered, MemberJoined(viewer))
      .when(add({ ...viewer, role: 'Admin' }))
      .thenNothing();
    expect(given(registered, MemberJoined(viewer)).state().members.get(viewer.userId)).toBe(
      'Viewer',
    );
  });
});
