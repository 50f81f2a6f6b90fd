import { z } from 'zod';
import { OWN_ACCOUNT, PUBLIC_ACCOUNT } from '../../kernel/access.ts';
import { Day } from '../../kernel/auditor-access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { AuditorAccessEnded } from '../../kernel/problem.ts';
import { Role } from '../../kernel/role.ts';
import { InvitationForAnotherAddress, InvitationNotValid } from '../team/team.refusals.ts';
import {
  EmailAddress,
  GivenPassword,
  NewPassword,
  OrganizationName,
  PasswordWarning,
  SecondFactorCode,
  Username,
} from './identity.fields.ts';
import {
  EmailTaken,
  SecondFactorRequired,
  TooManyAttempts,
  WrongCode,
  WrongCredentials,
} from './identity.refusals.ts';

/** The signed-in member, as every page needs it. */
export const CurrentUser = z.object({
  id: Id,
  username: z.string(),
  email: z.string(),
  role: Role,
  /** Of an Auditor, otherwise null: the last day of access (UTC). */
  lastDay: Day.nullable(),
  organization: z.object({ id: Id, name: z.string(), creditBalance: z.int() }),
});
export type CurrentUser = z.infer<typeof CurrentUser>;

const INVITE = 'Must be the token of an invitation';

const Registration = z.strictObject({
  email: EmailAddress,
  username: Username,
  password: NewPassword,
  /** Required unless `invite` names the organization to join. */
  organizationName: OrganizationName.optional(),
  invite: z.string(INVITE).min(1, INVITE).max(2000, INVITE).optional(),
});

export const currentUserExample: CurrentUser = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  username: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'Admin',
  lastDay: null,
  organization: {
    id: '0193a1b2-0000-7000-8000-000000000002',
    name: 'Harbour Goods',
    creditBalance: 100,
  },
};

export const registerUser = endpoint({
  name: 'registerUser',
  method: 'POST',
  path: '/api/register',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Register',
  description:
    'Creates an organization with 100 free credits, or joins one by invitation, and signs the user in.',
  body: Registration.refine((r) => r.invite !== undefined || r.organizationName !== undefined, {
    path: ['organizationName'],
    message: 'Organization name must be at least 2 characters',
  }),
  example: {
    email: 'ada@example.com',
    username: 'Ada Lovelace',
    password: 'long enough',
    organizationName: 'Analytical Engines',
  },
  status: 201,
  answer: z.object({ user: CurrentUser, warning: PasswordWarning.nullable() }),
  answerExample: { user: currentUserExample, warning: null },
  refusals: [EmailTaken, InvitationNotValid, InvitationForAnotherAddress],
});

export const signIn = endpoint({
  name: 'signIn',
  method: 'POST',
  path: '/api/login',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Sign in',
  description:
    'Signs in with email address and password, and a code if two-factor authentication is on. Sets the session cookie.',
  body: z.strictObject({
    email: EmailAddress,
    password: GivenPassword,
    /** The code of the second factor if it is on, or a recovery code. */
    code: SecondFactorCode.optional(),
  }),
  example: { email: 'ada@example.com', password: 'long enough' },
  status: 200,
  answer: z.object({ user: CurrentUser }),
  answerExample: { user: currentUserExample },
  refusals: [
    WrongCredentials,
    TooManyAttempts,
    SecondFactorRequired,
    WrongCode,
    AuditorAccessEnded,
  ],
});

export const signOut = endpoint({
  name: 'signOut',
  method: 'POST',
  path: '/api/logout',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Sign out',
  description: 'Ends the current sign-in.',
  status: 204,
});

export const getCurrentUser = endpoint({
  name: 'getCurrentUser',
  method: 'GET',
  path: '/api/user',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Retrieve the current user',
  description: 'Returns the signed-in user and their organization.',
  status: 200,
  answer: CurrentUser,
  answerExample: currentUserExample,
});
