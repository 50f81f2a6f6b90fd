import { createHmac } from 'node:crypto';

/**
 * A password computed from the master key, so that it need not be configured or stored. Another
 * purpose gives another password. 43 letters, digits, - and _.
 */
export const derivedPassword = (masterKey: string, purpose: string): string =>
  createHmac('sha256', masterKey).update(purpose).digest('base64url');
