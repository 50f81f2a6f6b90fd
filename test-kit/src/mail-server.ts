import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Certificate } from './certificates.ts';

export type ReceivedMail = {
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  /** With soft line ends joined, so that links can be found. */
  readonly text: string;
};

/** What a mail server does with a mail. */
export type MailBehaviour =
  | 'takes'
  | 'refuses the recipient'
  | 'is full'
  | 'refuses the message'
  | 'never answers the message'
  | 'hangs up after the message';

export type MailServer = AsyncDisposable & {
  readonly url: string;
  /** All that came whole, taken or not. */
  readonly received: readonly ReceivedMail[];
  /** The number of connections. */
  readonly connections: () => number;
  behave(behaviour: MailBehaviour): void;
};

/** The mail settings of a product that sends through a test's server. */
export const mailThrough = ({ url }: Pick<MailServer, 'url'>) => ({
  smtpUrl: url,
  from: 'Tallyhand <tallyhand@example.com>',
});

const failure = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/** Each part by its own encoding: in one that goes as it is, `=4F` is what was written. */
function decoded(raw: Buffer): string {
  const whole = raw.toString('latin1');
  const boundary = /boundary="([^"]+)"/.exec(whole)?.[1];
  const parts = boundary === undefined ? [whole] : whole.split(`--${boundary}`);
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im;
  const bytes = parts.map((part) => (isQuoted.test(part) ? unquoted(part) : part));
  return Buffer.from(bytes.join(`--${boundary}`), 'latin1').toString('utf8');
}

const unquoted = (part: string) =>
  part
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

type MailServerOptions = {
  readonly secure?: boolean;
  /** Otherwise its default one, which no client trusts. */
  readonly certificate?: Certificate;
  /** Again where one was before. */
  readonly port?: number;
};

/** A real SMTP server on a free port. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let behaviour: MailBehaviour = 'takes';
  let connections = 0;
  const server = new SMTPServer({
    secure: options.secure ?? false,
    ...options.certificate,
    // Its own certificate is for tests, and it says so unless it may not log.
    logger: false,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: options.secure ? [] : ['STARTTLS'],
    closeTimeout: 1,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onRcptTo({ address }, _session, callback) {
      if (behaviour === 'refuses the recipient') {
        callback(failure(550, `5.1.1 <${address}>: there is no such mailbox`));
      } else if (behaviour === 'is full') callback(failure(452, '4.2.2 mailbox full'));
      else callback();
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user ? String(session.user) : undefined,
          text: decoded(Buffer.concat(chunks)),
        });
        if (behaviour === 'refuses the message') callback(failure(554, '5.7.1 looks like spam'));
        else if (behaviour === 'hangs up after the message') hangUp();
        else if (behaviour !== 'never answers the message') callback();
      });
    },
  });
  server.on('error', () => {});
  const hangUp = () => {
    for (const connection of server.connections) connection._socket.destroy();
  };
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    behave: (next) => {
      behaviour = next;
    },
    async [Symbol.asyncDispose]() {
      hangUp();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A server that takes connections and sends nothing, or something other than SMTP. */
export async function startOddServer(
  says: string | null,
): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (says !== null) socket.on('data', () => socket.write(says)).write(says);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
