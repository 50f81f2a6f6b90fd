import { newId } from '@tallyhand/service-kit/crypto/ids';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import type pg from 'pg';

const SIGN_IN_MS = 24 * 3_600_000;

/** Signs a person in as an Admin whom no call has registered; gives the value of the cookie. */
export async function signInAsAdmin(
  admin: pg.Pool,
  signingKey: string,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
): Promise<string> {
  const signInId = newId();
  const expiresAt = new Date(Date.now() + SIGN_IN_MS);
  await admin.query(
    `insert into operational.access (user_id, organization_id, role) values ($1, $2, 'Admin')
     on conflict do nothing`,
    [userId, organizationId],
  );
  await admin.query(
    `insert into operational.sign_ins (sign_in_id, user_id, organization_id, expires_at)
     values ($1, $2, $3, $4)`,
    [signInId, userId, organizationId, expiresAt],
  );
  return signToken(signingKey, 'sign-in', { subject: signInId, expiresAt });
}
