import { z } from 'zod';
import { OWN_ACCOUNT, PUBLIC_ACCOUNT } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { LastAdmin, LegalHoldStands } from '../organizations/organizations.refusals.ts';
import { CurrentUser, currentUserExample } from './identity.endpoints.ts';
import {
  EmailAddress,
  LinkToken,
  NewPassword,
  PasswordWarning,
  PresentPassword,
  SecondFactorCode,
  Username,
} from './identity.fields.ts';
import {
  EmailTaken,
  LinkNotValid,
  SecondFactorIsOn,
  SecondFactorNotBegun,
  TooManyAttempts,
  WrongCode,
  WrongPassword,
} from './identity.refusals.ts';

/** What is known about the browser; null if unknown. */
export const Device = z.object({ browser: z.string().nullable(), system: z.string().nullable() });
export type Device = z.infer<typeof Device>;

export const SignIn = z.object({
  id: Id,
  device: Device,
  address: z.string().nullable(),
  startedAt: Instant,
  lastSeenAt: Instant,
  /** The sign-in of the caller. */
  isCurrent: z.boolean(),
});
export type SignIn = z.infer<typeof SignIn>;

export const SignInRecord = z.object({
  id: Id,
  at: Instant,
  kind: z.enum(['signed-in', 'signed-out', 'failed']),
  /** The refusal's code, or why a sign-in ended. */
  reason: z.string().nullable(),
  device: Device,
  address: z.string().nullable(),
  /** How often it happened in the preceding minute. */
  count: z.int(),
});
export type SignInRecord = z.infer<typeof SignInRecord>;

export const listSignIns = endpoint({
  name: 'listSignIns',
  method: 'GET',
  path: '/api/user/sign-ins',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'List active sign-ins',
  description: 'Returns where the caller is signed in.',
  status: 200,
  answer: z.array(SignIn),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      address: '198.51.100.7',
      startedAt: '2027-01-31T09:30:00.000Z',
      lastSeenAt: '2027-01-31T09:30:00.000Z',
      isCurrent: false,
      device: { browser: 'Firefox', system: 'Linux' },
    },
  ],
});
export const listSignInHistory = endpoint({
  name: 'listSignInHistory',
  method: 'GET',
  path: '/api/user/sign-ins/history',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'List recent sign-ins',
  description: 'Returns the last 100 sign-ins of the caller, including failed ones.',
  status: 200,
  answer: z.array(SignInRecord),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      at: '2027-01-31T09:30:00.000Z',
      kind: 'signed-out',
      reason: 'by-person',
      address: '203.0.113.7',
      count: 1,
      device: { browser: 'Firefox', system: 'Linux' },
    },
  ],
});
export const downloadOwnData = endpoint({
  name: 'downloadOwnData',
  method: 'GET',
  path: '/api/user/data',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Download your personal data',
  description:
    'Returns what is stored about the caller, as one JSON file: the account, its settings and sign-ins, conversations, and every event that the caller caused or that is about the caller, oldest first.',
  status: 200,
  media: 'application/json',
});
export const endSignIn = endpoint({
  name: 'endSignIn',
  method: 'DELETE',
  path: '/api/user/sign-ins/{id}',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'End a sign-in',
  description: 'Ends one of the caller’s sign-ins.',
  params: z.strictObject({ id: Id }),
  status: 204,
});
export const endOtherSignIns = endpoint({
  name: 'endOtherSignIns',
  method: 'DELETE',
  path: '/api/user/sign-ins',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'End all other sign-ins',
  description: 'Ends all sign-ins of the caller except the current one.',
  status: 204,
});
export const changeProfile = endpoint({
  name: 'changeProfile',
  method: 'PUT',
  path: '/api/user/profile',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Update the profile',
  description:
    'Changes the caller’s name or email address. A new email address needs the password.',
  body: z.strictObject({
    username: Username.optional(),
    email: EmailAddress.optional(),
    currentPassword: PresentPassword.optional(),
  }),
  example: { username: 'Ada King' },
  isKeyless: true,
  status: 200,
  answer: CurrentUser,
  answerExample: currentUserExample,
  refusals: [WrongPassword, TooManyAttempts, EmailTaken],
});
export const changePassword = endpoint({
  name: 'changePassword',
  method: 'PUT',
  path: '/api/user/password',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Change the password',
  description: 'Ends all other sign-ins of the caller.',
  body: z.strictObject({ currentPassword: PresentPassword, newPassword: NewPassword }),
  example: { currentPassword: 'long enough', newPassword: 'longer still' },
  isKeyless: true,
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  answerExample: { warning: null },
  refusals: [WrongPassword, TooManyAttempts],
});
export const checkPassword = endpoint({
  name: 'checkPassword',
  method: 'POST',
  path: '/api/user/password/check',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Check a password',
  description:
    'Returns whether the password appears in known data breaches. The password is not stored.',
  body: z.strictObject({ password: NewPassword }),
  example: { password: 'long enough' },
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  answerExample: { warning: 'common-password' },
});
export const undoEmailChange = endpoint({
  name: 'undoEmailChange',
  method: 'POST',
  path: '/api/user/email/undo',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Undo an email address change',
  description:
    'Restores the previous email address with the token of the link that was sent to it.',
  body: z.strictObject({ token: LinkToken }),
  example: { token: 'a-token' },
  status: 204,
  refusals: [LinkNotValid, EmailTaken],
});
export const requestPasswordReset = endpoint({
  name: 'requestPasswordReset',
  method: 'POST',
  path: '/api/user/password/forgot',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Request a password reset',
  description:
    'Emails a link that sets a new password. The answer is the same for unknown addresses.',
  body: z.strictObject({ email: EmailAddress }),
  example: { email: 'ada@example.com' },
  status: 204,
});
export const resetPassword = endpoint({
  name: 'resetPassword',
  method: 'POST',
  path: '/api/user/password/reset',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Reset a password',
  description: 'Sets a new password with the token of an emailed link and ends all sign-ins.',
  body: z.strictObject({ token: LinkToken, newPassword: NewPassword }),
  example: { token: 'a-token', newPassword: 'long enough' },
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  answerExample: { warning: null },
  refusals: [LinkNotValid],
});
export const requestDeviceLink = endpoint({
  name: 'requestDeviceLink',
  method: 'POST',
  path: '/api/user/device/link',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Request a device link',
  description:
    'Emails a link that lets a new device sign in despite failed attempts by others. The answer is the same for unknown addresses.',
  body: z.strictObject({ email: EmailAddress }),
  example: { email: 'ada@example.com' },
  status: 204,
});
export const makeDeviceKnown = endpoint({
  name: 'makeDeviceKnown',
  method: 'POST',
  path: '/api/user/device',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Approve a device',
  description:
    'Lets the device sign in despite failed attempts by others, once, with the token of an emailed link. The password and two-factor code are still required.',
  body: z.strictObject({ token: LinkToken }),
  example: { token: 'a-token' },
  status: 204,
  refusals: [LinkNotValid],
});

export const SecondFactor = z.object({
  /** Null while it is off. */
  enabledAt: Instant.nullable(),
  recoveryCodesLeft: z.int(),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

export const getSecondFactor = endpoint({
  name: 'getSecondFactor',
  method: 'GET',
  path: '/api/user/second-factor',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Retrieve two-factor authentication',
  description: 'Returns whether sign-in asks the caller for a code.',
  status: 200,
  answer: SecondFactor,
  answerExample: { enabledAt: '2027-01-31T09:30:00.000Z', recoveryCodesLeft: 8 },
});
export const beginSecondFactor = endpoint({
  name: 'beginSecondFactor',
  method: 'POST',
  path: '/api/user/second-factor',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Set up two-factor authentication',
  description:
    'Returns a secret for an authenticator app (RFC 6238). Two-factor authentication is on once a code is confirmed.',
  body: z.strictObject({ password: PresentPassword }),
  example: { password: 'long enough' },
  isKeyless: true,
  status: 201,
  answer: z.object({ secret: z.string(), uri: z.string() }),
  answerExample: {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Tallyhand%3Aada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tallyhand',
  },
  refusals: [WrongPassword, TooManyAttempts, SecondFactorIsOn],
});
export const confirmSecondFactor = endpoint({
  name: 'confirmSecondFactor',
  method: 'POST',
  path: '/api/user/second-factor/confirm',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Turn on two-factor authentication',
  description: 'Confirms the secret with a code. Only this answer contains the recovery codes.',
  body: z.strictObject({ code: SecondFactorCode }),
  example: { code: '123456' },
  isKeyless: true,
  status: 200,
  answer: z.object({ recoveryCodes: z.array(z.string()) }),
  answerExample: { recoveryCodes: ['txxpa-zg536', '3m2kt-rbras'] },
  refusals: [WrongCode, SecondFactorNotBegun],
});
export const removeSecondFactor = endpoint({
  name: 'removeSecondFactor',
  method: 'DELETE',
  path: '/api/user/second-factor',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Turn off two-factor authentication',
  description: 'Needs the password and a code or recovery code.',
  body: z.strictObject({ password: PresentPassword, code: SecondFactorCode }),
  example: { password: 'long enough', code: '123456' },
  isKeyless: true,
  status: 204,
  refusals: [WrongPassword, WrongCode, TooManyAttempts],
});

/** On the answer of an erasure: `waits-for-legal-hold`, if the key is destroyed later. */
export const ERASURE_HEADER = 'erasure-status';

export const erasePerson = endpoint({
  name: 'erasePerson',
  method: 'DELETE',
  path: '/api/user',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Erase the account',
  description:
    'Erases the caller’s name and email address for good. The last member closes the organization. During a legal hold the caller loses access at once and is erased after the hold is lifted: the answer has the header `Erasure-Status: waits-for-legal-hold`. The last member can’t leave during a hold.',
  body: z.strictObject({ password: PresentPassword }),
  example: { password: 'long enough' },
  isKeyless: true,
  status: 204,
  refusals: [WrongPassword, TooManyAttempts, LastAdmin, LegalHoldStands],
});
