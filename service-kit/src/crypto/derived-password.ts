import { createHmac } from 'node:crypto';

/**
 * A password that whoever holds the master key can compute: nobody has to set or keep it. Another
 * purpose gives another password. 43 letters, digits, - and _.
 */
export const derivedPassword = (masterKey: string, purpose: string): string =>
  createHmac('sha256', masterKey).update(purpose).digest('base64url');
