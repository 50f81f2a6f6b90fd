import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { ServerCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { ImapFlow } from 'imapflow';
import { MailFailure, mailFailure, wrongPassword } from './mail-failure.ts';
import { checkedHost } from './mail-server.ts';
import { type Cursor, type FetchedMail, MAIL_BYTES_MAX, type MailSource } from './mail-source.ts';

const INBOX = 'INBOX';
const CONNECT_MS = 10_000;
const RESPONSE_BYTES_MAX = MAIL_BYTES_MAX + 1_000_000;
const LINE_BYTES_MAX = 4_000_000;
/** Per poll; the rest follows in the next. */
const MAILS_MAX = 200;

/** Signs in and opens the inbox. Aborted calls fail with the signal's reason. */
export async function openImap(
  { host, port, username, password, ssl }: ServerCredentials,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<MailSource> {
  const { address, servername } = await checkedHost({ host, port }, policy, signal).catch(
    (error) => {
      throw mailFailure(error, host);
    },
  );
  const client = new ImapFlow({
    host: address,
    port,
    secure: ssl,
    servername,
    auth: { user: username, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    maxLiteralSize: RESPONSE_BYTES_MAX,
    maxResponseSize: RESPONSE_BYTES_MAX + LINE_BYTES_MAX,
    maxLineLength: LINE_BYTES_MAX,
  });
  let lost: unknown = null;
  client.on('error', (error) => {
    lost ??= error;
  });
  const close = () => client.close();
  signal.addEventListener('abort', close, { once: true });
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await orAborted(work(), signal);
    } catch (error) {
      const { authenticationFailed } = error as { authenticationFailed?: boolean };
      if (authenticationFailed) throw wrongPassword(host);
      throw mailFailure(signal.aborted ? signal.reason : (lost ?? error), host);
    }
  };
  try {
    await ask(() => client.connect());
    await ask(() => client.mailboxOpen(INBOX));
  } catch (error) {
    close();
    throw error;
  }
  const leave = () => {
    signal.removeEventListener('abort', close);
    client.logout().catch(close);
  };
  return sourceOf(client, { ask, host, leave });
}

type Asking = {
  readonly ask: <T>(work: () => Promise<T>) => Promise<T>;
  readonly host: string;
  readonly leave: () => void;
};

function sourceOf(client: ImapFlow, { ask, host, leave }: Asking): MailSource {
  let isNews = false;
  client.on('exists', () => {
    isNews = true;
  });

  function inbox() {
    if (client.mailbox) return client.mailbox;
    throw new MailFailure('closed', `${host} closed the connection.`);
  }

  /** The first mail received after a moment. Servers store whole seconds. */
  async function uidSince(since: Date): Promise<number> {
    const { uidNext } = inbox();
    const found = (await ask(() => client.search({ since }, { uid: true }))) || [];
    if (!Array.isArray(found) || found.length === 0) return uidNext;
    const range = `${Math.min(...found)}:*`;
    const dated = await ask(() =>
      client.fetchAll(range, { uid: true, internalDate: true }, { uid: true }),
    );
    const from = Math.floor(since.getTime() / 1000) * 1000;
    const newer = dated.filter(({ internalDate }) => new Date(internalDate ?? 0).getTime() >= from);
    return newer.reduce((least, { uid }) => Math.min(least, uid), uidNext);
  }

  async function first(since: Date): Promise<Cursor> {
    const at = new Date().toISOString();
    const uidValidity = String(inbox().uidValidity);
    return { provider: 'imap', uidValidity, uidNext: await uidSince(since), at };
  }

  async function read(uid: number): Promise<Omit<FetchedMail, 'cursor'> | null> {
    const found = await ask(() =>
      client.fetchOne(String(uid), { uid: true, size: true }, { uid: true }),
    );
    if (!found) return null;
    const isTooLarge = (found.size ?? 0) > MAIL_BYTES_MAX;
    const query = isTooLarge ? { headers: true } : { source: true };
    const mail = await ask(() => client.fetchOne(String(uid), query, { uid: true }));
    // It may have been deleted meanwhile.
    const raw = mail && (isTooLarge ? mail.headers : mail.source);
    return raw ? { ref: String(uid), raw, isTooLarge } : null;
  }

  return {
    first,
    async *after(cursor) {
      isNews = false;
      // Updates the client's view of the inbox.
      await ask(() => client.noop());
      const uidValidity = String(inbox().uidValidity);
      const isSame = cursor.provider === 'imap' && cursor.uidValidity === uidValidity;
      const since = cursor.provider === 'imap' ? new Date(cursor.at) : new Date();
      const from = isSame ? cursor.uidNext : await uidSince(since);
      const found = await ask(() => client.search({ uid: `${from}:*` }, { uid: true }));
      const uids = Array.isArray(found) ? found.filter((uid) => uid >= from) : [];
      for (const uid of uids.toSorted((a, b) => a - b).slice(0, MAILS_MAX)) {
        const mail = await read(uid);
        const at = new Date().toISOString();
        if (mail)
          yield { ...mail, cursor: { provider: 'imap', uidValidity, uidNext: uid + 1, at } };
      }
      if (uids.length > MAILS_MAX) isNews = true;
    },
    async markRead(ref) {
      await ask(() => client.messageFlagsAdd(ref, ['\\Seen'], { uid: true }));
    },
    news: client.capabilities.has('IDLE')
      ? (timeoutMs) => (isNews ? Promise.resolve() : ask(() => idle(client, timeoutMs)))
      : null,
    close: leave,
  };
}

/** The next command ends IDLE on the server. */
async function idle(client: ImapFlow, timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const closed = () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  client.once('exists', resolve);
  client.once('close', closed);
  client.idle().then(() => resolve(), reject);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    client.off('exists', resolve);
    client.off('close', closed);
  }
}
