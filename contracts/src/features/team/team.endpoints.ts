import { z } from 'zod';
import { ADMINS, MEMBERS, PUBLIC } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { Role } from '../../kernel/role.ts';
import { EmailAddress } from '../identity/identity.fields.ts';
import {
  LastAdmin,
  MemberAddressTaken,
  MemberNotActive,
  OwnMembership,
} from '../organizations/organizations.refusals.ts';
import { EmailHasAccount, InvitationAlreadyAccepted, InvitationNotValid } from './team.refusals.ts';

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

/** What an Admin can change about a member. */
export const MemberState = Member.pick({ id: true, role: true, status: true });
export type MemberState = z.infer<typeof MemberState>;

/** `mail`: sent by email; `link`: hand the link over yourself, because mail is not configured. */
const Delivery = z.enum(['mail', 'link']);

/** The state of a mail; `uncertain`: handed over, but the mail server never confirmed it. */
const MailState = z.enum(['waiting', 'sending', 'sent', 'failed', 'uncertain', 'kept']);

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
  createdAt: Instant,
  expiresAt: Instant,
  /** How often it was resent. */
  resent: z.int(),
  delivery: Delivery,
  /** The newest mail, while it is stored. */
  mail: z.object({ state: MailState, error: z.string().nullable() }).nullable(),
});
export type Invitation = z.infer<typeof Invitation>;

/** What the inviting Admin may hand on; lists never contain the token. */
export const IssuedInvitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  token: z.string(),
  url: z.string(),
  expiresAt: Instant,
  delivery: Delivery,
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

export const MemberChange = z.strictObject({ role: Role });

export const InviteInput = z.strictObject({
  email: EmailAddress,
  role: Role.default('Viewer'),
  message: z
    .string('Message must be a text')
    .trim()
    .max(1000, 'Message must be at most 1000 characters')
    .optional(),
});

/** A mail as its recipient receives it. */
export const OutgoingMail = z.object({
  id: Id,
  kind: z.enum(['invitation', 'notice', 'support']),
  state: MailState,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  tries: z.int(),
  error: z.string().nullable(),
  createdAt: Instant,
  endedAt: Instant.nullable(),
});
export type OutgoingMail = z.infer<typeof OutgoingMail>;

const INVITE_TOKEN = 'Must be the token of an invitation';

const OneMember = z.strictObject({ id: Id });

export const listMembers = endpoint({
  name: 'listMembers',
  method: 'GET',
  path: '/api/members',
  access: MEMBERS,
  feature: 'team',
  summary: 'The members of the organization',
  query: Page,
  status: 200,
  answer: z.array(Member),
});
export const changeMember = endpoint({
  name: 'changeMember',
  method: 'PUT',
  path: '/api/members/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Give a member another role; it counts from their next request on',
  params: OneMember,
  body: MemberChange,
  example: { role: 'Editor' },
  status: 200,
  answer: MemberState,
  refusals: [LastAdmin, OwnMembership, MemberNotActive],
});
export const removeMember = endpoint({
  name: 'removeMember',
  method: 'DELETE',
  path: '/api/members/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Remove a member: sign-ins end at once, the address is free, their work is kept',
  params: OneMember,
  status: 204,
  refusals: [LastAdmin, OwnMembership],
});
export const restoreMember = endpoint({
  name: 'restoreMember',
  method: 'POST',
  path: '/api/members/{id}/restore',
  access: ADMINS,
  feature: 'team',
  summary: 'Restore a removed member, as long as no other account has their address',
  params: OneMember,
  status: 200,
  answer: MemberState,
  refusals: [MemberAddressTaken],
});
export const listInvitations = endpoint({
  name: 'listInvitations',
  method: 'GET',
  path: '/api/invitations',
  access: ADMINS,
  feature: 'team',
  summary: 'Invitations by email address',
  query: Page,
  status: 200,
  answer: z.array(Invitation),
});
export const issueInvitation = endpoint({
  name: 'issueInvitation',
  method: 'POST',
  path: '/api/invitations',
  access: ADMINS,
  feature: 'team',
  summary: 'Invite an email address with a role',
  body: InviteInput,
  example: { email: 'grace@example.com', role: 'Viewer', message: 'Welcome' },
  status: 201,
  answer: IssuedInvitation,
  refusals: [EmailHasAccount],
});
export const resendInvitation = endpoint({
  name: 'resendInvitation',
  method: 'POST',
  path: '/api/invitations/{id}/resend',
  access: ADMINS,
  feature: 'team',
  summary: 'Send an invitation again with a new end; the token of before no longer counts',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: IssuedInvitation,
  refusals: [InvitationAlreadyAccepted, InvitationNotValid],
});
export const revokeInvitation = endpoint({
  name: 'revokeInvitation',
  method: 'DELETE',
  path: '/api/invitations/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Revoke an invitation',
  params: z.strictObject({ id: Id }),
  status: 204,
  refusals: [InvitationAlreadyAccepted],
});
export const getInvitationLink = endpoint({
  name: 'getInvitationLink',
  method: 'GET',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'The reusable Viewer link, if there is one',
  status: 200,
  answer: InvitationLink.nullable(),
});
export const renewInvitationLink = endpoint({
  name: 'renewInvitationLink',
  method: 'POST',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'Make a new reusable Viewer link; the one before it ends',
  status: 201,
  refusals: [InvitationNotValid],
  answer: InvitationLink,
});
export const revokeInvitationLink = endpoint({
  name: 'revokeInvitationLink',
  method: 'DELETE',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'End the reusable link',
  status: 204,
});
export const getInvitationByToken = endpoint({
  name: 'getInvitationByToken',
  method: 'GET',
  path: '/api/invitation-tokens/{token}',
  access: PUBLIC,
  feature: 'team',
  summary: 'What an invitation leads to',
  params: z.strictObject({ token: z.string().min(1).max(2000) }),
  status: 200,
  answer: z.object({ organizationName: z.string(), role: Role }),
  refusals: [InvitationNotValid],
});
export const checkInvitation = endpoint({
  name: 'checkInvitation',
  method: 'POST',
  path: '/api/invitations/check',
  access: PUBLIC,
  feature: 'team',
  summary: 'Whether an invitation can be accepted; tells the invited person of their other account',
  body: z.strictObject({
    token: z.string(INVITE_TOKEN).min(1, INVITE_TOKEN).max(2000, INVITE_TOKEN),
  }),
  example: { token: 'a-token' },
  status: 204,
  refusals: [InvitationNotValid, EmailHasAccount],
});
export const listOutbox = endpoint({
  name: 'listOutbox',
  method: 'GET',
  path: '/api/outbox',
  access: ADMINS,
  feature: 'team',
  summary: 'Invitations and notices, as sent or as kept to be handed over',
  query: Page,
  status: 200,
  answer: z.array(OutgoingMail),
});
