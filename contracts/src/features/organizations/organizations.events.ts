import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';
import { type EventOf, event } from '../../kernel/messages.ts';
import { Role } from '../identity/role.ts';

/** On `organization-{id}`: who belongs to it, and with which role. */
export const OrganizationRegistered = event('OrganizationRegistered', {
  organizationId: Id,
  name: z.string(),
});
export const MemberJoined = event('MemberJoined', {
  organizationId: Id,
  userId: Id,
  role: Role,
  invitationId: Id.nullable(),
});

export type OrganizationEvent =
  | EventOf<typeof OrganizationRegistered>
  | EventOf<typeof MemberJoined>;
