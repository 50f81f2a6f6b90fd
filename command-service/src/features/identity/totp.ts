import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Twenty bytes, as RFC 4226 recommends; codes of six digits that change every 30 seconds. */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newSecret = () => randomBytes(SECRET_BYTES);

/** RFC 4648, without padding: what authenticators take. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

export const stepAt = (time: Date) => Math.floor(time.getTime() / 1000 / STEP_SECONDS);

/** The code of a step of time (RFC 6238 with SHA-1, which all authenticators know). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step that a code belongs to: clocks may differ by one. Null where it is none of these. */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | null {
  const given = Buffer.from(code);
  if (given.length !== DIGITS) return null;
  const present = stepAt(now);
  const isCodeOf = (step: number) => timingSafeEqual(Buffer.from(codeAt(secret, step)), given);
  return [present, present - 1, present + 1].find(isCodeOf) ?? null;
}

/** What an authenticator reads from a QR code. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const issuer = 'Tallyhand';
  const label = encodeURIComponent(`${issuer}:${account}`);
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${issuer}`;
}
