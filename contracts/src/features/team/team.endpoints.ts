import { z } from 'zod';
import { ADMINS, MEMBERS, PUBLIC } from '../../kernel/access.ts';
import { AUDITOR_DAYS, AUDITOR_DAYS_MAX, Day } from '../../kernel/auditor-access.ts';
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
  /** Of an Auditor, otherwise null: the last day of access (UTC). */
  lastDay: Day.nullable(),
  status: z.enum(['active', 'deactivated']),
  lastActive: Instant.nullable(),
  createdAt: Instant,
});
export type Member = z.infer<typeof Member>;

/** What an Admin can change about a member. */
export const MemberState = Member.pick({ id: true, role: true, lastDay: true, status: true });
export type MemberState = z.infer<typeof MemberState>;

/** `mail`: sent by email; `link`: hand the link over yourself, because mail is not configured. */
const Delivery = z.enum(['mail', 'link']);

/** The state of a mail; `uncertain`: handed over, but the mail server never confirmed it. */
const MailState = z.enum(['waiting', 'sending', 'sent', 'failed', 'uncertain', 'kept']);

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  lastDay: Day.nullable(),
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

const LastDay = Day.optional().meta({
  description: `For an Auditor: the last day of access (UTC), at most ${AUDITOR_DAYS_MAX} days from now. Without it, ${AUDITOR_DAYS} days, or the last day that the Auditor has.`,
});

export const MemberChange = z.strictObject({ role: Role, lastDay: LastDay });

export const InviteInput = z.strictObject({
  email: EmailAddress,
  role: Role.default('Viewer'),
  lastDay: LastDay,
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
  summary: 'List members',
  description: 'Returns the members of the organization.',
  query: Page,
  status: 200,
  answer: z.array(Member),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      username: 'Ada Lovelace',
      email: 'ada@example.com',
      role: 'Admin',
      lastDay: null,
      status: 'active',
      lastActive: '2027-01-31T09:30:01.238Z',
      createdAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
const memberStateExample: MemberState = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  role: 'Editor',
  lastDay: null,
  status: 'active',
};

export const changeMember = endpoint({
  name: 'changeMember',
  method: 'PUT',
  path: '/api/members/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Change a member’s role',
  description:
    'Takes effect with the next request of the member. An Auditor has a last day of access, which the same call changes.',
  params: OneMember,
  body: MemberChange,
  example: { role: 'Editor' },
  status: 200,
  answer: MemberState,
  answerExample: memberStateExample,
  refusals: [LastAdmin, OwnMembership, MemberNotActive],
});
export const removeMember = endpoint({
  name: 'removeMember',
  method: 'DELETE',
  path: '/api/members/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Remove a member',
  description: 'Ends all sign-ins of the member and frees their email address. Their work is kept.',
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
  summary: 'Restore a member',
  description: 'Restores a removed member if no other account uses their email address.',
  params: OneMember,
  status: 200,
  answer: MemberState,
  answerExample: memberStateExample,
  refusals: [MemberAddressTaken],
});
export const listInvitations = endpoint({
  name: 'listInvitations',
  method: 'GET',
  path: '/api/invitations',
  access: ADMINS,
  feature: 'team',
  summary: 'List invitations',
  description: 'Returns the invitations by email address.',
  query: Page,
  status: 200,
  answer: z.array(Invitation),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      email: 'grace@example.com',
      role: 'Editor',
      lastDay: null,
      status: 'pending',
      createdAt: '2027-01-31T09:30:00.000Z',
      expiresAt: '2027-02-07T09:30:00.000Z',
      resent: 0,
      delivery: 'mail',
      mail: { state: 'sent', error: null },
    },
  ],
});
const issuedInvitationExample: IssuedInvitation = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  email: 'grace@example.com',
  role: 'Viewer',
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
  url: 'https://tallyhand.example/auth?invite=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
  expiresAt: '2027-02-07T09:30:00.000Z',
  delivery: 'link',
};

export const issueInvitation = endpoint({
  name: 'issueInvitation',
  method: 'POST',
  path: '/api/invitations',
  access: ADMINS,
  feature: 'team',
  summary: 'Invite a member',
  description:
    'Invites an email address with a role. An Auditor reads the audit log, the ledger and histories of objects, up to a last day.',
  body: InviteInput,
  example: { email: 'grace@example.com', role: 'Viewer', message: 'Welcome' },
  status: 201,
  answer: IssuedInvitation,
  answerExample: issuedInvitationExample,
  refusals: [EmailHasAccount],
});
export const resendInvitation = endpoint({
  name: 'resendInvitation',
  method: 'POST',
  path: '/api/invitations/{id}/resend',
  access: ADMINS,
  feature: 'team',
  summary: 'Resend an invitation',
  description: 'Sends the invitation again with a new expiry. The previous link ends.',
  params: z.strictObject({ id: Id }),
  status: 200,
  answer: IssuedInvitation,
  answerExample: issuedInvitationExample,
  refusals: [InvitationAlreadyAccepted, InvitationNotValid],
});
export const revokeInvitation = endpoint({
  name: 'revokeInvitation',
  method: 'DELETE',
  path: '/api/invitations/{id}',
  access: ADMINS,
  feature: 'team',
  summary: 'Revoke an invitation',
  description: 'The link of the invitation ends.',
  params: z.strictObject({ id: Id }),
  status: 204,
  refusals: [InvitationAlreadyAccepted],
});
const invitationLinkExample: InvitationLink = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  role: 'Viewer',
  uses: 0,
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
  url: 'https://tallyhand.example/auth?invite=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
  expiresAt: '2027-02-07T09:30:00.000Z',
};

export const getInvitationLink = endpoint({
  name: 'getInvitationLink',
  method: 'GET',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'Retrieve the invitation link',
  description: 'Returns the reusable link that invites Viewers, if there is one.',
  status: 200,
  answer: InvitationLink.nullable(),
  answerExample: invitationLinkExample,
});
export const renewInvitationLink = endpoint({
  name: 'renewInvitationLink',
  method: 'POST',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'Renew the invitation link',
  description: 'Creates a new reusable link that invites Viewers. The previous link ends.',
  status: 201,
  refusals: [InvitationNotValid],
  answer: InvitationLink,
  answerExample: invitationLinkExample,
});
export const revokeInvitationLink = endpoint({
  name: 'revokeInvitationLink',
  method: 'DELETE',
  path: '/api/invitations/link',
  access: ADMINS,
  feature: 'team',
  summary: 'Revoke the invitation link',
  description: 'Ends the reusable link.',
  status: 204,
});
export const getInvitationByToken = endpoint({
  name: 'getInvitationByToken',
  method: 'GET',
  path: '/api/invitation-tokens/{token}',
  access: PUBLIC,
  feature: 'team',
  summary: 'Retrieve an invitation by token',
  description: 'Returns what the link of an invitation leads to.',
  params: z.strictObject({ token: z.string().min(1).max(2000) }),
  status: 200,
  answer: z.object({
    organizationName: z.string(),
    role: Role,
    /** Of an Auditor, otherwise null: the last day of access, in UTC. */
    lastDay: Day.nullable(),
    /** The invited address; null for the link that several people may use. */
    email: z.string().nullable(),
  }),
  answerExample: {
    organizationName: 'Harbour Goods',
    role: 'Editor',
    lastDay: null,
    email: 'grace@example.com',
  },
  refusals: [InvitationNotValid],
});
export const checkInvitation = endpoint({
  name: 'checkInvitation',
  method: 'POST',
  path: '/api/invitations/check',
  access: PUBLIC,
  feature: 'team',
  summary: 'Check an invitation',
  description:
    'Answers 204 if the invitation can be accepted, and `email-has-account` if the invited person already has another account.',
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
  summary: 'List outgoing email',
  description:
    'Returns invitations and notifications that were sent, or that must be delivered by hand because no mail server is configured.',
  query: Page,
  status: 200,
  answer: z.array(OutgoingMail),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      kind: 'invitation',
      state: 'sent',
      tries: 1,
      error: null,
      createdAt: '2027-01-31T09:30:00.000Z',
      endedAt: '2027-01-31T09:30:00.119Z',
      to: 'grace@example.com',
      subject: 'Join Harbour Goods on Tallyhand',
      text: 'You’ve been invited to join Harbour Goods on Tallyhand as an Editor.',
    },
  ],
});
