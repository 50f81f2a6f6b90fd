import { type CryptoKey, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

/** Signed tokens of one purpose each: the signature of one never passes for the other. */
export type TokenPurpose = 'sign-in' | 'invitation' | 'device';

export type TokenClaims = { readonly subject: string; readonly expiresAt: Date };

/** Imported once: jose does it again at each use of a key in bytes, in another thread. */
const imported = new Map<string, Promise<CryptoKey>>();

function keyOf(signingKey: string): Promise<CryptoKey> {
  const known = imported.get(signingKey);
  if (known) return known;
  const bytes = Buffer.from(signingKey, 'base64url');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify']);
  imported.set(signingKey, key);
  return key;
}

/** The same claims always give the same token, so that it can be shown again without storing it. */
export async function signToken(
  signingKey: string,
  purpose: TokenPurpose,
  { subject, expiresAt }: TokenClaims,
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(subject)
    .setAudience(purpose)
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(await keyOf(signingKey));
}

/**
 * Verifying takes longer than most of the following work, and a browser sends the same token again.
 */
const verified = new LRUCache<string, TokenClaims>({ max: 10_000 });

/** The token's subject, or null when it is forged, expired or of another purpose. */
export async function verifyToken(
  signingKey: string,
  purpose: TokenPurpose,
  token: string,
  now: Date,
): Promise<string | null> {
  const key = `${purpose} ${signingKey} ${token}`;
  const known = verified.get(key);
  if (known) return known.expiresAt > now ? known.subject : null;
  try {
    const { payload } = await jwtVerify(token, await keyOf(signingKey), {
      algorithms: ['HS256'],
      audience: purpose,
      currentDate: now,
    });
    const { sub: subject, exp } = payload;
    if (subject === undefined || exp === undefined) return null;
    verified.set(key, { subject, expiresAt: new Date(exp * 1000) });
    return subject;
  } catch {
    return null;
  }
}
