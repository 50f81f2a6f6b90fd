import { createHash } from 'node:crypto';

/** Without I, L, O and U, which are easily misread or misheard. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/**
 * Such as TH-7F3K2Q, one of a thousand million: the same for the same key and attempt, and not
 * guessable without the key.
 */
export function ticketNumberOf(contentKey: string, attempt: number): string {
  const bytes = createHash('sha256').update(`${contentKey} ${attempt}`).digest();
  const letters = [...bytes.subarray(0, LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  return `TH-${letters.join('')}`;
}
