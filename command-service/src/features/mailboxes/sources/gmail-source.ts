import type { GmailCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { z } from 'zod';
import { gmailApi } from './gmail-api.ts';
import { MailFailure } from './mail-failure.ts';
import {
  type Cursor,
  MAIL_BYTES_MAX,
  type MailSource,
  type OutboundMailConfig,
} from './mail-source.ts';

/** Per poll; the rest follows in the next. */
const MAILS_MAX = 200;
const PAGE_LENGTH = 100;
const PAGES_MAX = 50;
/** Mail may be filed a little out of order. */
const OVERLAP_MS = 300_000;

const Listed = z.object({
  messages: z.array(z.object({ id: z.string().regex(/^\w{1,64}$/) })).default([]),
  nextPageToken: z.string().optional(),
});
const Described = z.object({
  id: z.string(),
  threadId: z.string().optional(),
  internalDate: z.coerce.number(),
  sizeEstimate: z.number().default(0),
  payload: z
    .object({ headers: z.array(z.object({ name: z.string(), value: z.string() })) })
    .optional(),
});
const Raw = z.object({ raw: z.string() });

export async function openGmail(
  credentials: GmailCredentials,
  outbound: OutboundMailConfig,
  signal: AbortSignal,
): Promise<MailSource> {
  const api = await gmailApi(credentials, outbound, signal);
  // Fails if the mailbox may not be read.
  await api.get('/profile', z.object({ emailAddress: z.string() }));

  /** The ids of newer mails, oldest first. */
  async function idsSince(after: number): Promise<string[]> {
    const ids: string[] = [];
    let page: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const query = new URLSearchParams({
        labelIds: 'INBOX',
        maxResults: String(PAGE_LENGTH),
        q: `after:${Math.floor(after / 1000)}`,
        ...(page ? { pageToken: page } : {}),
      });
      const listed = await api.get(`/messages?${query}`, Listed);
      ids.push(...listed.messages.map(({ id }) => id));
      page = listed.nextPageToken;
      if (!page) break;
    }
    return ids.toReversed();
  }

  return {
    async first(since) {
      const from = since.getTime();
      return { provider: 'gmail', after: from, since: from, known: [] };
    },
    async *after(cursor) {
      if (cursor.provider !== 'gmail') return;
      const { after, since, known } = cursor;
      const found = await idsSince(after - OVERLAP_MS);
      const seen = new Set(known);
      let newest = after;
      // Known mails that the next search would find again.
      const kept = found.filter((id) => seen.has(id));
      for (const id of found.filter((one) => !seen.has(one)).slice(0, MAILS_MAX)) {
        const described = await api.get(`/messages/${id}?format=metadata`, Described);
        const { internalDate, threadId, sizeEstimate, payload } = described;
        kept.push(id);
        // It is older than the mailbox's connection.
        if (internalDate < since) continue;
        newest = Math.max(newest, internalDate);
        const isTooLarge = sizeEstimate > MAIL_BYTES_MAX;
        const head = payload?.headers.map(({ name, value }) => `${name}: ${value}`).join('\r\n');
        const raw = isTooLarge
          ? Buffer.from(`${head ?? ''}\r\n\r\n`)
          : Buffer.from((await api.get(`/messages/${id}?format=raw`, Raw)).raw, 'base64url');
        const next: Cursor = { provider: 'gmail', after: newest, since, known: [...kept] };
        yield { ref: id, raw, isTooLarge, ...(threadId ? { threadId } : {}), cursor: next };
      }
    },
    async markRead(ref) {
      const { status } = await api.post(`/messages/${ref}/modify`, { removeLabelIds: ['UNREAD'] });
      if (status >= 300) {
        throw new MailFailure('not-allowed', 'Google did not allow to mark mail as read.');
      }
    },
    news: null,
    close: () => {},
  };
}
