import { generateSync, ScureBase32Plugin } from 'otplib';

const STEP_SECONDS = 30;

/** The code that an authenticator shows now, or `further` steps of thirty seconds later. */
export const shownCode = (secret: string, further = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + further * STEP_SECONDS });

/** The bytes of a secret as it is shown to people, in hexadecimal. */
export const hexOfSecret = (secret: string) =>
  Buffer.from(new ScureBase32Plugin().decode(secret)).toString('hex');
