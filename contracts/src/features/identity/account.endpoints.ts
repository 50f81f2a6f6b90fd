import { z } from 'zod';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { CurrentUser } from './identity.endpoints.ts';
import { NewPassword, PasswordWarning, PresentPassword, Username } from './identity.fields.ts';

/** What a browser says of itself, as far as it is known; null where it is not. */
export const Device = z.object({ browser: z.string().nullable(), system: z.string().nullable() });
export type Device = z.infer<typeof Device>;

export const SignIn = z.object({
  id: Id,
  device: Device,
  address: z.string().nullable(),
  startedAt: Instant,
  lastSeenAt: Instant,
  /** The one that asks. */
  isCurrent: z.boolean(),
});
export type SignIn = z.infer<typeof SignIn>;

export const SignInRecord = z.object({
  id: Id,
  at: Instant,
  kind: z.enum(['signed-in', 'signed-out', 'failed']),
  /** The code of the refusal, or why a sign-in ended. */
  reason: z.string().nullable(),
  device: Device,
  address: z.string().nullable(),
  /** How often it happened within the minute before. */
  count: z.int(),
});
export type SignInRecord = z.infer<typeof SignInRecord>;

export const listSignIns = endpoint({
  name: 'listSignIns',
  method: 'GET',
  path: '/api/user/sign-ins',
  feature: 'identity',
  summary: 'Where the signed-in person is signed in now',
  status: 200,
  answer: z.array(SignIn),
});
export const listSignInHistory = endpoint({
  name: 'listSignInHistory',
  method: 'GET',
  path: '/api/user/sign-ins/history',
  feature: 'identity',
  summary: 'The last hundred sign-ins of the signed-in person, those that failed among them',
  status: 200,
  answer: z.array(SignInRecord),
});
export const endSignIn = endpoint({
  name: 'endSignIn',
  method: 'DELETE',
  path: '/api/user/sign-ins/{id}',
  feature: 'identity',
  summary: 'End a sign-in of one’s own',
  params: z.strictObject({ id: Id }),
  status: 204,
});
export const endOtherSignIns = endpoint({
  name: 'endOtherSignIns',
  method: 'DELETE',
  path: '/api/user/sign-ins',
  feature: 'identity',
  summary: 'End all sign-ins of one’s own but this one',
  status: 204,
});
export const changeProfile = endpoint({
  name: 'changeProfile',
  method: 'PUT',
  path: '/api/user/profile',
  feature: 'identity',
  summary: 'Change one’s name',
  body: z.strictObject({ username: Username.optional() }),
  status: 200,
  answer: CurrentUser,
});
export const changePassword = endpoint({
  name: 'changePassword',
  method: 'PUT',
  path: '/api/user/password',
  feature: 'identity',
  summary: 'Change one’s password; all other sign-ins end',
  body: z.strictObject({ currentPassword: PresentPassword, newPassword: NewPassword }),
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
  refusals: ['wrong-password', 'too-many-attempts'],
});
export const checkPassword = endpoint({
  name: 'checkPassword',
  method: 'POST',
  path: '/api/user/password/check',
  feature: 'identity',
  summary: 'Whether a password is among those that were stolen before; public, nothing is kept',
  body: z.strictObject({ password: NewPassword }),
  status: 200,
  answer: z.object({ warning: PasswordWarning.nullable() }),
});
