import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { z } from 'zod';

/** Larger mails are recorded, but not read. */
export const MAIL_BYTES_MAX = 25_000_000;

/** How far the mail of a mailbox was processed, in the terms of its provider. */
export const Cursor = z.discriminatedUnion('provider', [
  z.object({
    provider: z.literal('imap'),
    uidValidity: z.string(),
    uidNext: z.int(),
    /** Earlier mail was fetched already; used if the server renumbers. ISO 8601. */
    at: z.string(),
  }),
  /** Hashes of the ids of known mails that are still there. */
  z.object({ provider: z.literal('pop3'), known: z.array(z.string()) }),
  /** Moments in milliseconds, and the ids of the mails around the last one. */
  z.object({
    provider: z.literal('gmail'),
    after: z.int(),
    /** Earlier mail is ignored. */
    since: z.int(),
    known: z.array(z.string()),
  }),
]);
export type Cursor = z.infer<typeof Cursor>;

export type FetchedMail = {
  /** The source's id. */
  readonly ref: string;
  /** As received; only the headers if it is too large. */
  readonly raw: Buffer;
  readonly isTooLarge: boolean;
  /** The provider's conversation, if it has such. */
  readonly threadId?: string;
  /** Where to continue after this mail. */
  readonly cursor: Cursor;
};

/** An open connection to a mailbox. Everything rejects with MailFailure. */
export type MailSource = {
  /** The cursor before the first mail received after `since`. */
  first(since: Date): Promise<Cursor>;
  /** The mails after the cursor, the oldest first. */
  after(cursor: Cursor): AsyncIterable<FetchedMail>;
  markRead(ref: string): Promise<void>;
  /** Waits until there is new mail, or for so long; null if the server can't announce it. */
  readonly news: ((timeoutMs: number) => Promise<void>) | null;
  close(): void;
};

/** Settings of connections besides the credentials. */
export type OutboundMailConfig = {
  readonly policy: OutboundPolicy;
  /** Another address than Google's own. */
  readonly googleApiBase?: string | undefined;
  /** The time-out of a connection test, in milliseconds, instead of the default. */
  readonly testMsMax?: number | undefined;
};
