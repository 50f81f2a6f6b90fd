import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { EmailAddress } from '../identity/identity.fields.ts';
import { Role } from '../identity/role.ts';

export const Member = z.object({
  id: Id,
  username: z.string(),
  email: z.string(),
  role: Role,
  status: z.enum(['active', 'deactivated']),
  lastActive: Instant.nullable(),
  createdAt: Instant,
});
export type Member = z.infer<typeof Member>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
  createdAt: Instant,
  expiresAt: Instant,
});
export type Invitation = z.infer<typeof Invitation>;

/** What the one who invites may hand on; the token is in no list. */
export const IssuedInvitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  token: z.string(),
  url: z.string(),
  expiresAt: Instant,
  /** `link`: hand the address over yourself; mail is not set up. */
  delivery: z.enum(['link']),
});
export type IssuedInvitation = z.infer<typeof IssuedInvitation>;

export const InvitationLink = z.object({
  id: Id,
  url: z.string(),
  token: z.string(),
  role: Role,
  uses: z.int(),
  expiresAt: Instant,
});
export type InvitationLink = z.infer<typeof InvitationLink>;

export const InviteInput = z.strictObject({
  email: EmailAddress,
  role: Role.default('Viewer'),
  message: z
    .string('Message must be a text')
    .trim()
    .max(1000, 'Message must be at most 1000 characters')
    .optional(),
});

export const listMembers = endpoint({
  name: 'listMembers',
  method: 'GET',
  path: '/api/members',
  feature: 'team',
  summary: 'The members of the organization',
  query: Page,
  status: 200,
  answer: z.array(Member),
});
export const listInvitations = endpoint({
  name: 'listInvitations',
  method: 'GET',
  path: '/api/invitations',
  feature: 'team',
  summary: 'Invitations by e-mail address',
  query: Page,
  status: 200,
  answer: z.array(Invitation),
});
export const issueInvitation = endpoint({
  name: 'issueInvitation',
  method: 'POST',
  path: '/api/invitations',
  feature: 'team',
  summary: 'Invite an e-mail address with a role',
  body: InviteInput,
  status: 201,
  answer: IssuedInvitation,
  refusals: ['email-has-account'],
});
export const revokeInvitation = endpoint({
  name: 'revokeInvitation',
  method: 'DELETE',
  path: '/api/invitations/{id}',
  feature: 'team',
  summary: 'Revoke an invitation',
  params: z.strictObject({ id: Id }),
  status: 204,
  refusals: ['invitation-already-accepted'],
});
export const getInvitationLink = endpoint({
  name: 'getInvitationLink',
  method: 'GET',
  path: '/api/invitations/link',
  feature: 'team',
  summary: 'The reusable Viewer link, if there is one',
  status: 200,
  answer: InvitationLink.nullable(),
});
export const renewInvitationLink = endpoint({
  name: 'renewInvitationLink',
  method: 'POST',
  path: '/api/invitations/link',
  feature: 'team',
  summary: 'Make a new reusable Viewer link; the one before it ends',
  status: 201,
  answer: InvitationLink,
});
export const revokeInvitationLink = endpoint({
  name: 'revokeInvitationLink',
  method: 'DELETE',
  path: '/api/invitations/link',
  feature: 'team',
  summary: 'End the reusable link',
  status: 204,
});
export const getInvitationByToken = endpoint({
  name: 'getInvitationByToken',
  method: 'GET',
  path: '/api/invitations/by-token/{token}',
  feature: 'team',
  summary: 'What an invitation leads to; public',
  params: z.strictObject({ token: z.string().min(1).max(2000) }),
  status: 200,
  answer: z.object({ organizationName: z.string(), role: Role }),
});
