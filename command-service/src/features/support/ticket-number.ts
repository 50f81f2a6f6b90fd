import { createHash } from 'node:crypto';

/** Without I, L, O and U: nobody misreads one on the phone. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/**
 * As TH-7F3K2Q, one of a thousand million: the same again for the same key and attempt, and not to
 * be guessed by whoever does not have the key.
 */
export function ticketNumberOf(contentKey: string, attempt: number): string {
  const bytes = createHash('sha256').update(`${contentKey} ${attempt}`).digest();
  const letters = [...bytes.subarray(0, LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  return `TH-${letters.join('')}`;
}
