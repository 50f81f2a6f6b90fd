import { hash } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import type { ServerCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { MailFailure, mailFailure, wrongPassword } from './mail-failure.ts';
import { type CheckedHost, checkedHost } from './mail-server.ts';
import { MAIL_BYTES_MAX, type MailSource } from './mail-source.ts';

/** Per poll; the rest follows in the next. */
const MAILS_MAX = 200;
/** Twelve characters distinguish millions of ids. */
const HASH_LENGTH = 12;

const hashOf = (id: string) => hash('sha256', id, 'base64url').slice(0, HASH_LENGTH);

/** Deletes nothing: the cursor contains the ids of known mails. */
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
    /** POP3 has no times: all present mail counts as old. */
    async first() {
      return { provider: 'pop3', known: [...(await client.ids()).values()].map(hashOf) };
    },
    async *after(cursor) {
      const before = new Set(cursor.provider === 'pop3' ? cursor.known : []);
      const ids = await client.ids();
      const all = [...ids].map(([number, id]) => ({ number, ref: hashOf(id) }));
      // Deleted mails are dropped from the cursor.
      const known = all.filter(({ ref }) => before.has(ref)).map(({ ref }) => ref);
      const fresh = all.filter(({ ref }) => !before.has(ref)).slice(0, MAILS_MAX);
      const sizes = fresh.length > 0 ? await client.sizes() : new Map<number, number>();
      for (const { number, ref } of fresh) {
        const isTooLarge = (sizes.get(number) ?? 0) > MAIL_BYTES_MAX;
        const command = isTooLarge ? 'TOP' : 'RETR';
        // Servers may report wrong sizes, and dot-stuffing adds bytes.
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

const LINE_BYTES_MAX = 64_000;
const LIST_BYTES_MAX = 10_000_000;

export type Pop3Client = {
  /** Number and id of each mail. */
  ids(): Promise<Map<number, string>>;
  /** Number and size of each mail, in bytes. */
  sizes(): Promise<Map<number, number>>;
  /** A mail as received; `TOP` gives only its headers. */
  retrieve(number: number, command: 'RETR' | 'TOP', bytesMax: number): Promise<Buffer>;
  quit(): void;
};

/** The commands of RFC 1939 that reading needs, on raw bytes. Everything rejects with MailFailure. */
export async function pop3Client(
  { host, port, username, password, ssl }: ServerCredentials,
  { address, servername }: CheckedHost,
  signal: AbortSignal,
): Promise<Pop3Client> {
  const at = { host: address, port };
  const socket = ssl
    ? connectTls({ ...at, ...(servername ? { servername } : {}) })
    : createConnection(at);
  const lines = linesOf(socket, host, signal);

  async function reply(): Promise<{ readonly isOk: boolean; readonly text: string }> {
    const line = (await lines.next(LINE_BYTES_MAX)).toString('latin1');
    if (line.startsWith('+OK')) return { isOk: true, text: line.slice(3).trim() };
    if (line.startsWith('-ERR')) return { isOk: false, text: line.slice(4).trim() };
    throw new MailFailure('protocol', `${host} does not speak POP3.`);
  }

  async function command(text: string) {
    socket.write(`${text}\r\n`);
    const { isOk } = await reply();
    if (!isOk) {
      const [name] = text.split(' ');
      throw new MailFailure('protocol', `${host} refused the command ${name}.`);
    }
  }

  /** Lines up to one with only a dot. */
  async function block(bytesMax: number): Promise<Buffer[]> {
    const found: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const line = await lines.next(bytesMax);
      const isDotted = line[0] === 0x2e;
      if (isDotted && line.length === 1) return found;
      bytes += line.length + 2;
      if (bytes > bytesMax) throw tooLarge(host);
      found.push(isDotted ? line.subarray(1) : line);
    }
  }

  async function list<T>(name: string, read: (value: string) => T): Promise<Map<number, T>> {
    await command(name);
    const rows = (await block(LIST_BYTES_MAX)).map((row) => row.toString('latin1').split(' '));
    return new Map(rows.map(([number, value = '']) => [Number(number), read(value)]));
  }

  try {
    if (!(await reply()).isOk)
      throw new MailFailure('refused', `${host} accepts no sign-ins at the moment.`);
    await command(`USER ${username}`);
    socket.write(`PASS ${password}\r\n`);
    const signedIn = await reply();
    if (!signedIn.isOk) {
      // Another client has locked the mailbox for a while.
      const isBusy = /\[(IN-USE|SYS\/TEMP|LOGIN-DELAY)\]/i.test(signedIn.text);
      throw isBusy
        ? new MailFailure('busy', `${host} says that the mailbox is in use.`)
        : wrongPassword(host);
    }
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    ids: () => list('UIDL', (value) => value),
    sizes: () => list('LIST', Number),
    async retrieve(number, name, bytesMax) {
      await command(name === 'TOP' ? `TOP ${number} 0` : `RETR ${number}`);
      const all = await block(bytesMax);
      return Buffer.concat(all.flatMap((line) => [line, CRLF]));
    },
    quit() {
      socket.end('QUIT\r\n');
      socket.destroySoon();
    },
  };
}

const CRLF = Buffer.from('\r\n');

const tooLarge = (host: string) =>
  new MailFailure('too-large', `${host} sent more than is accepted.`);

/** Reads a socket line by line. An aborted signal destroys it. */
function linesOf(socket: Socket, host: string, signal: AbortSignal) {
  let pending: Buffer = Buffer.alloc(0);
  let failure: MailFailure | null = null;
  let wake = () => {};
  const fail = (error: unknown) => {
    failure ??= mailFailure(error, host);
    wake();
  };
  const abort = () => socket.destroy(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  socket.on('error', fail);
  socket.once('close', () => {
    signal.removeEventListener('abort', abort);
    fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  });

  return {
    /** Without its end. */
    async next(bytesMax: number): Promise<Buffer> {
      let searched = 0;
      for (;;) {
        const end = pending.indexOf('\n', searched);
        if (end >= 0) {
          const line = pending.subarray(0, end);
          pending = pending.subarray(end + 1);
          return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
        }
        if (pending.length > bytesMax) throw tooLarge(host);
        searched = pending.length;
        const chunk: Buffer | null = socket.read();
        if (chunk) pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
        else if (failure) throw failure;
        else await readable(socket, (resolve) => (wake = resolve));
      }
    },
  };
}

function readable(socket: Socket, onWake: (resolve: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const come = () => resolve();
  onWake(come);
  socket.once('readable', come);
  return promise.finally(() => socket.off('readable', come));
}
