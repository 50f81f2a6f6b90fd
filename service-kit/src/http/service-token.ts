import { hash, timingSafeEqual } from 'node:crypto';

/** Whether a call comes from an internal process; takes constant time. */
export function isServiceCall(authorization: string | undefined, token: string): boolean {
  if (!token || !authorization) return false;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(authorization), digest(bearer(token)));
}

/** The header that `isServiceCall` checks. */
export const bearer = (token: string) => `Bearer ${token}`;
