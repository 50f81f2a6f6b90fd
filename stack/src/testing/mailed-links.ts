import type { MailServer } from '@tallyhand/test-kit/mail-server';
import { generateSync, ScureBase32Plugin } from 'otplib';
import type pg from 'pg';
import { expect } from 'vitest';

export const mailsTo = ({ received }: MailServer, email: string) =>
  received.filter(({ to }) => to.includes(email));

type Wanted = { readonly email: string; readonly kind: 'reset' | 'undo' | 'device' };

/** The token of the newest link of a kind that was mailed to an address, when there are more than `before`. */
export async function mailedToken(
  mail: MailServer,
  { email, kind }: Wanted,
  before = 0,
): Promise<string> {
  const link = new RegExp(`^https?://[^/]+/auth\\?${kind}=(\\S+)\\s*$`, 'm');
  const found = () =>
    mailsTo(mail, email).flatMap(({ text }) => {
      const token = link.exec(text)?.[1];
      return token ? [token] : [];
    });
  await expect.poll(() => found().length).toBeGreaterThan(before);
  return found().at(-1) ?? '';
}

/** Lets the links that were mailed to a user expire. */
export async function expireLinks(pool: pg.Pool, userId: string): Promise<void> {
  await pool.query(
    `update operational.account_tokens set expires_at = now() - interval '1 second'
     where user_id = $1`,
    [userId],
  );
}

const STEP_SECONDS = 30;

/** The code that an authenticator shows now, or `further` steps of thirty seconds later. */
export const shownCode = (secret: string, further = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + further * STEP_SECONDS });

/** The bytes of a displayed secret, in hexadecimal. */
export const hexOfSecret = (secret: string) =>
  Buffer.from(new ScureBase32Plugin().decode(secret)).toString('hex');
