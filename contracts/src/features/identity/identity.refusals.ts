import { refusal } from '../../kernel/refusal.ts';

export const EmailTaken = refusal(
  'email-taken',
  409,
  'Email address taken',
  () => 'There is already an account with this email address. Sign in instead.',
  [{ path: 'email', message: 'There is already an account with this email address' }],
);
export const WrongCredentials = refusal(
  'wrong-credentials',
  401,
  'Wrong credentials',
  () => 'The email address or the password is wrong.',
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
  'Wrong password',
  () => 'The password is wrong.',
);
export const LinkNotValid = refusal(
  'link-not-valid',
  409,
  'Link not valid',
  () => 'This link has expired or was used already. Ask for a new one.',
);
export const SecondFactorRequired = refusal(
  'second-factor-required',
  401,
  'Second factor required',
  () => 'Enter the code of your authenticator, or a recovery code.',
);
const CODE = [{ path: 'code', message: 'The code is wrong or was used already' }];
export const WrongCode = refusal(
  'wrong-code',
  422,
  'Wrong code',
  () => 'The code is wrong or was used already.',
  CODE,
);
export const SecondFactorIsOn = refusal(
  'second-factor-is-on',
  409,
  'Second factor is on',
  () => 'The second factor is already on. Turn it off before you set up another one.',
);
export const SecondFactorNotBegun = refusal(
  'second-factor-not-begun',
  409,
  'No second factor setup',
  () => 'No second factor is being set up. Start the setup again.',
);
