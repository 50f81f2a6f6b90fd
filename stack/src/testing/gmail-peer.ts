import { sendJson } from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { localServer, type Seen } from '@tallyhand/test-kit/http-server';

export const GMAIL_TOKEN = 'a-refresh-token-of-the-shop';

/** A new address, with credentials that the peer accepts, or another refresh token. */
export const gmailBody = (refreshToken = GMAIL_TOKEN) => ({
  emailAddress: `${crypto.randomUUID()}@gmail.example`,
  providerType: 'gmail',
  credentials: { clientId: 'client', clientSecret: 'secret', refreshToken },
  syncSettings: { pollInterval: 60 },
});

export type GmailPeer = AsyncDisposable & {
  readonly url: string;
  readonly sent: readonly { readonly raw: string; readonly threadId?: string }[];
  readonly read: readonly string[];
  /** The status of answers to the next mails; 0 ends the connection without one. */
  answerSending(status: number): void;
  deliver(id: string, raw: string, at?: Date): void;
};

/** The part of Google's token endpoint and of Gmail's API that mailboxes use. */
export async function startGmailPeer(): Promise<GmailPeer> {
  const mails = new Map<string, { readonly raw: string; readonly at: number }>();
  const sent: { raw: string; threadId?: string }[] = [];
  const read: string[] = [];
  let sending = 200;

  function answer({ url, headers, body: text }: Seen): { status: number; body: unknown } {
    const { pathname, searchParams } = new URL(url, 'http://gmail');
    if (pathname === '/token') {
      const isRight = new URLSearchParams(text).get('refresh_token') === GMAIL_TOKEN;
      return isRight
        ? { status: 200, body: { access_token: 'an-access-token' } }
        : { status: 400, body: { error: 'invalid_grant' } };
    }
    if (headers.authorization !== 'Bearer an-access-token') return { status: 401, body: {} };
    const path = pathname.replace('/gmail/v1/users/me', '');
    if (path === '/profile') return { status: 200, body: { emailAddress: 'a@gmail.example' } };
    if (path === '/messages') {
      const after = Number(/after:(\d+)/.exec(searchParams.get('q') ?? '')?.[1]) * 1000;
      const found = [...mails].filter(([, { at }]) => at >= after).toReversed();
      return { status: 200, body: { messages: found.map(([id]) => ({ id, threadId: `t${id}` })) } };
    }
    if (path === '/messages/send') {
      const { raw, threadId } = JSON.parse(text);
      sent.push({ raw: Buffer.from(raw, 'base64url').toString(), threadId });
      return { status: sending, body: {} };
    }
    const id = path.split('/')[2] ?? '';
    if (path.endsWith('/modify')) {
      read.push(id);
      return { status: 200, body: {} };
    }
    const mail = mails.get(id);
    if (!mail) return { status: 404, body: {} };
    const raw = Buffer.from(mail.raw).toString('base64url');
    const described = { id, threadId: `t${id}`, internalDate: String(mail.at) };
    return {
      status: 200,
      body: searchParams.get('format') === 'raw' ? { ...described, raw } : described,
    };
  }

  const server = await localServer(({ socket }, response, seen) => {
    const { status, body } = answer(seen);
    if (status === 0) socket.destroy();
    else sendJson(response, status, body);
  });
  return {
    ...server,
    sent,
    read,
    url: server.origin,
    answerSending: (status) => {
      sending = status;
    },
    deliver: (id, raw, at = new Date()) => mails.set(id, { raw, at: at.getTime() }),
  };
}
