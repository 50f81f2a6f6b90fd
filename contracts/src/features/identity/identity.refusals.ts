import { refusal } from '../../kernel/refusal.ts';

export const EmailTaken = refusal(
  'email-taken',
  409,
  'Email address reserved',
  () => 'An account with this email address already exists. Sign in instead.',
  [{ path: 'email', message: 'An account with this email address already exists' }],
);
export const WrongCredentials = refusal(
  'wrong-credentials',
  401,
  'Incorrect credentials',
  () => 'Incorrect email address or password.',
);
const DEVICE_LINK = {
  'by-mail': 'request a link by email',
  'by-operator': 'ask the operator of this server for a link (npm run device-link)',
};
export const TooManyAttempts = refusal(
  'too-many-attempts',
  429,
  'Too many attempts',
  /**
   * `deviceLink`: who issues a link that lets this device try immediately, if anyone. Without a
   * mail server `requestDeviceLink` sends nothing, and the operator uses a command.
   */
  (p: { retryAfterSeconds: number; deviceLink?: 'by-mail' | 'by-operator' }) =>
    `Too many failed attempts. Try again in ${Math.ceil(p.retryAfterSeconds / 60)} minutes${
      p.deviceLink ? `, or ${DEVICE_LINK[p.deviceLink]} that lets this device try immediately` : ''
    }.`,
);
/** For signed-in members who confirm their identity; `errors` name the field. */
export const WrongPassword = refusal(
  'wrong-password',
  422,
  'Incorrect password',
  () => 'Incorrect password.',
);
export const LinkNotValid = refusal(
  'link-not-valid',
  409,
  'Link not valid',
  () => 'This link is invalid or has expired. Request a new one.',
);
export const SecondFactorRequired = refusal(
  'second-factor-required',
  401,
  'Two-factor code required',
  () => 'Enter the code from your authenticator app, or a recovery code.',
);
const CODE = [{ path: 'code', message: 'Wrong code, or it was already used' }];
export const WrongCode = refusal(
  'wrong-code',
  422,
  'Wrong code',
  () => 'Wrong code, or it was already used. Enter a new one.',
  CODE,
);
export const SecondFactorIsOn = refusal(
  'second-factor-is-on',
  409,
  'Two-factor authentication is on',
  () => 'Two-factor authentication is already on. Turn it off before you set it up again.',
);
export const SecondFactorNotBegun = refusal(
  'second-factor-not-begun',
  409,
  'No two-factor setup in progress',
  () => 'No two-factor setup is in progress. Start again.',
);
