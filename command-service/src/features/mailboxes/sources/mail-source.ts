import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { z } from 'zod';

/** Beyond it a mail is noted, and not read. */
export const MAIL_BYTES_MAX = 25_000_000;

/** How far the mail of a mailbox was taken in, as its provider counts. */
export const Cursor = z.discriminatedUnion('provider', [
  z.object({
    provider: z.literal('imap'),
    uidValidity: z.string(),
    uidNext: z.int(),
    /** Earlier mail was fetched already; used if the server renumbers. ISO 8601. */
    at: z.string(),
  }),
  /** Hashes of the ids of the mails that are there and known. */
  z.object({ provider: z.literal('pop3'), known: z.array(z.string()) }),
  /** Moments in milliseconds, and the ids of the mails around the last one. */
  z.object({
    provider: z.literal('gmail'),
    after: z.int(),
    /** What came before it does not count. */
    since: z.int(),
    known: z.array(z.string()),
  }),
]);
export type Cursor = z.infer<typeof Cursor>;

export type FetchedMail = {
  /** What the source calls it. */
  readonly ref: string;
  /** As it came; of one that is too large the head alone. */
  readonly raw: Buffer;
  readonly isTooLarge: boolean;
  /** Of the conversation that it belongs to, where the provider knows such. */
  readonly threadId?: string;
  /** Where to go on once it is taken in. */
  readonly cursor: Cursor;
};

/** An open connection to a mailbox. All that fails rejects with MailFailure. */
export type MailSource = {
  /** Where mail begins that came after `since`. */
  first(since: Date): Promise<Cursor>;
  /** The mails after the cursor, the oldest first. */
  after(cursor: Cursor): AsyncIterable<FetchedMail>;
  markRead(ref: string): Promise<void>;
  /** Waits until there is more, or for so long; absent where the server can't tell. */
  readonly news: ((timeoutMs: number) => Promise<void>) | null;
  close(): void;
};

/** What reaching out takes besides the credentials. */
export type OutboundMailConfig = {
  readonly policy: OutboundPolicy;
  /** Another address than Google's own. */
  readonly googleApiBase?: string | undefined;
  /** For a whole test of a connection, in milliseconds; its own time without it. */
  readonly testMsMax?: number | undefined;
};
