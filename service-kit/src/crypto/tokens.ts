import { jwtVerify, SignJWT } from 'jose';

/** Signed tokens of one purpose each: the signature of one never passes for the other. */
export type TokenPurpose = 'sign-in' | 'invitation';

export type TokenClaims = { readonly subject: string; readonly expiresAt: Date };

/** The same claims always give the same token, so that it need not be stored to be shown again. */
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
    .sign(Buffer.from(signingKey, 'base64url'));
}

/** The token's subject, or null when it is forged, expired or of another purpose. */
export async function verifyToken(
  signingKey: string,
  purpose: TokenPurpose,
  token: string,
  now: Date,
): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, Buffer.from(signingKey, 'base64url'), {
      algorithms: ['HS256'],
      audience: purpose,
      currentDate: now,
    });
    return payload.sub ?? null;
  } catch {
    return null;
  }
}
