import { refusal } from '../../kernel/refusal.ts';

export const EmailTaken = refusal(
  'email-taken',
  409,
  'E-mail address taken',
  () => 'There is already an account with this e-mail address. Sign in instead.',
  [{ path: 'email', message: 'There is already an account with this e-mail address' }],
);
export const WrongCredentials = refusal(
  'wrong-credentials',
  401,
  'Wrong credentials',
  () => 'The e-mail address or the password is wrong.',
);
export const TooManyAttempts = refusal(
  'too-many-attempts',
  429,
  'Too many attempts',
  (p: { retryAfterSeconds: number }) =>
    `Too many failed attempts; try again in ${Math.ceil(p.retryAfterSeconds / 60)} minutes.`,
);
/** Where a signed-in person proves who they are; `errors` name the field. */
export const WrongPassword = refusal(
  'wrong-password',
  422,
  'Wrong password',
  () => 'The password is wrong.',
);
