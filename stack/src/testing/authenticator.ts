import { codeAt, stepAt } from '@tallyhand/command-service/features/identity/totp';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a secret as it is shown to people. */
export function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an authenticator shows now, or `further` steps of thirty seconds later. */
export const shownCode = (secret: string, further = 0) =>
  codeAt(bytesOf(secret), stepAt(new Date()) + further);
