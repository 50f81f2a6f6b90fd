import { hash, timingSafeEqual } from 'node:crypto';

/** Whether a call comes from one of our own processes; takes the same time whatever is wrong. */
export function isServiceCall(authorization: string | undefined, token: string): boolean {
  if (!token || !authorization) return false;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(authorization), digest(bearer(token)));
}

/** The header that `isServiceCall` looks for. */
export const bearer = (token: string) => `Bearer ${token}`;
