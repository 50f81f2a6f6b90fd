import { z } from 'zod';
import { OWN_ACCOUNT, PUBLIC_ACCOUNT } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { LastAdmin } from '../organizations/organizations.refusals.ts';
import { CurrentUser } from './identity.endpoints.ts';
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
  summary: 'Where the signed-in person is signed in now',
  status: 200,
  answer: z.array(SignIn),
});
export const listSignInHistory = endpoint({
  name: 'listSignInHistory',
  method: 'GET',
  path: '/api/user/sign-ins/history',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'The last hundred sign-ins of the signed-in person, those that failed among them',
  status: 200,
  answer: z.array(SignInRecord),
});
export const endSignIn = endpoint({
  name: 'endSignIn',
  method: 'DELETE',
  path: '/api/user/sign-ins/{id}',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'End a sign-in of one’s own',
  params: z.strictObject({ id: Id }),
  status: 204,
});
export const endOtherSignIns = endpoint({
  name: 'endOtherSignIns',
  method: 'DELETE',
  path: '/api/user/sign-ins',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'End all sign-ins of one’s own but this one',
  status: 204,
});
export const changeProfile = endpoint({
  name: 'changeProfile',
  method: 'PUT',
  path: '/api/user/profile',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Change one’s name or email address; the latter takes the password',
  body: z.strictObject({
    username: Username.optional(),
    email: EmailAddress.optional(),
    currentPassword: PresentPassword.optional(),
  }),
  example: { username: 'Ada King' },
  isKeyless: true,
  status: 200,
  answer: CurrentUser,
  refusals: [WrongPassword, TooManyAttempts, EmailTaken],
});
export const changePassword = endpoint({
  name: 'changePassword',
  method: 'PUT',
  path: '/api/user/password',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Change one’s password; all other sign-ins end',
  body: z.strictObject({ currentPassword: PresentPassword, newPassword: NewPassword }),
  example: { currentPassword: 'long enough', newPassword: 'longer still' },
  isKeyless: true,
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  refusals: [WrongPassword, TooManyAttempts],
});
export const checkPassword = endpoint({
  name: 'checkPassword',
  method: 'POST',
  path: '/api/user/password/check',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Whether a password is among those that were stolen before; nothing is kept',
  body: z.strictObject({ password: NewPassword }),
  example: { password: 'long enough' },
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
});
export const undoEmailChange = endpoint({
  name: 'undoEmailChange',
  method: 'POST',
  path: '/api/user/email/undo',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary: 'Take a change of address back by the link that went to the one before',
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
  summary: 'Have a link mailed that sets a new password; the answer is always the same',
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
  summary: 'Set a new password by a link; all sign-ins end',
  body: z.strictObject({ token: LinkToken, newPassword: NewPassword }),
  example: { token: 'a-token', newPassword: 'long enough' },
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  refusals: [LinkNotValid],
});
export const requestDeviceLink = endpoint({
  name: 'requestDeviceLink',
  method: 'POST',
  path: '/api/user/device/link',
  access: PUBLIC_ACCOUNT,
  feature: 'identity',
  summary:
    'Email a link that lets a new device sign in despite others’ failed attempts; the answer is always the same',
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
  summary:
    'Make this device known by a link, once; the password and second factor are still required',
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
  summary: 'Whether a code is asked for when one signs in',
  status: 200,
  answer: SecondFactor,
});
export const beginSecondFactor = endpoint({
  name: 'beginSecondFactor',
  method: 'POST',
  path: '/api/user/second-factor',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Make the secret of a second factor (RFC 6238); it is on once a code was shown',
  body: z.strictObject({ password: PresentPassword }),
  example: { password: 'long enough' },
  isKeyless: true,
  status: 201,
  answer: z.object({ secret: z.string(), uri: z.string() }),
  refusals: [WrongPassword, TooManyAttempts, SecondFactorIsOn],
});
export const confirmSecondFactor = endpoint({
  name: 'confirmSecondFactor',
  method: 'POST',
  path: '/api/user/second-factor/confirm',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Turn the second factor on by a code; answers recovery codes, once',
  body: z.strictObject({ code: SecondFactorCode }),
  example: { code: '123456' },
  isKeyless: true,
  status: 200,
  answer: z.object({ recoveryCodes: z.array(z.string()) }),
  refusals: [WrongCode, SecondFactorNotBegun],
});
export const removeSecondFactor = endpoint({
  name: 'removeSecondFactor',
  method: 'DELETE',
  path: '/api/user/second-factor',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary: 'Turn the second factor off, by the password and a code or recovery code',
  body: z.strictObject({ password: PresentPassword, code: SecondFactorCode }),
  example: { password: 'long enough', code: '123456' },
  isKeyless: true,
  status: 204,
  refusals: [WrongPassword, WrongCode, TooManyAttempts],
});

export const erasePerson = endpoint({
  name: 'erasePerson',
  method: 'DELETE',
  path: '/api/user',
  access: OWN_ACCOUNT,
  feature: 'identity',
  summary:
    'Erase oneself: name and address are gone for good; the last member closes the organization',
  body: z.strictObject({ password: PresentPassword }),
  example: { password: 'long enough' },
  isKeyless: true,
  status: 204,
  refusals: [WrongPassword, TooManyAttempts, LastAdmin],
});
