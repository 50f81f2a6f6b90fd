import { hash } from 'node:crypto';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import type { ServerCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { mailFailure } from './mail-failure.ts';
import { checkedHost } from './mail-host.ts';
import { MAIL_BYTES_MAX, type MailSource } from './mail-source.ts';
import { pop3Client } from './pop3-client.ts';

/** In one go; the rest in the next. */
const MAILS_MAX = 200;
/** Twelve characters tell millions of ids apart. */
const HASH_LENGTH = 12;

const hashOf = (id: string) => hash('sha256', id, 'base64url').slice(0, HASH_LENGTH);

/** Nothing is deleted: the ids of what is there and known are remembered. */
export async function openPop3(
  access: ServerCredentials,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<MailSource> {
  const { host } = access;
  const checked = await checkedHost(access, policy, signal).catch((error) => {
    throw mailFailure(error, host);
  });
  const client = await pop3Client(access, checked, signal);
  return {
    /** The protocol knows no times: what is there now was there before. */
    async first() {
      return { provider: 'pop3', known: [...(await client.ids()).values()].map(hashOf) };
    },
    async *after(cursor) {
      const before = new Set(cursor.provider === 'pop3' ? cursor.known : []);
      const ids = await client.ids();
      const all = [...ids].map(([number, id]) => ({ number, ref: hashOf(id) }));
      // What is not there any more need not be remembered.
      const known = all.filter(({ ref }) => before.has(ref)).map(({ ref }) => ref);
      const fresh = all.filter(({ ref }) => !before.has(ref)).slice(0, MAILS_MAX);
      const sizes = fresh.length > 0 ? await client.sizes() : new Map<number, number>();
      for (const { number, ref } of fresh) {
        const isTooLarge = (sizes.get(number) ?? 0) > MAIL_BYTES_MAX;
        const command = isTooLarge ? 'TOP' : 'RETR';
        // Sizes are what servers say; lines that begin with a dot are longer under way.
        const raw = await client.retrieve(number, command, MAIL_BYTES_MAX * 1.1);
        known.push(ref);
        yield { ref, raw, isTooLarge, cursor: { provider: 'pop3', known: [...known] } };
      }
    },
    markRead: async () => {},
    news: null,
    close: client.quit,
  };
}
