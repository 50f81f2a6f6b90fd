import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  type MailboxTest,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type Certificate, certificateAuthority } from '@tallyhand/test-kit/certificates';
import { startMailServer } from '@tallyhand/test-kit/mail-server';
import { DOVECOT, describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dovecotPath, startDovecot } from '../testing/dovecot.ts';
import { connectedBy, mailboxBody, mailFrom, repliedTo } from '../testing/mailboxes.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';

const path = dovecotPath();
if (!path) console.warn('Skipped: Dovecot (dovecot-imapd, dovecot-pop3d) is not installed here.');

const PROVIDERS = ['imap', 'pop3'] as const;
const opened = new AsyncDisposableStack();
const before = getCACertificates();
let product: TestProduct;
let client: ApiClient;
let trusted: ReturnType<typeof certificateAuthority>;

beforeAll(async () => {
  if (!path) return;
  trusted = opened.use(certificateAuthority());
  setDefaultCACertificates([...before, trusted.cert]);
  product = opened.use(
    await startTestProduct({ allowPrivateHosts: '127.0.0.1,localhost', mailboxTimes: SOON }),
  );
  ({ client } = await registerOrganization(product.url));
});
afterAll(async () => {
  setDefaultCACertificates(before);
  await opened.disposeAsync();
});

/** Mail servers with a certificate, and mailboxes that are reached by a host name of theirs. */
async function mailServers(certificate: Certificate) {
  await using opening = new AsyncDisposableStack();
  const dovecot = opening.use(await startDovecot(path ?? '', certificate));
  const smtp = opening.use(await startMailServer({ secure: true, certificate }));
  const closing = opening.move();
  return {
    dovecot,
    smtp,
    bodyFor(provider: (typeof PROVIDERS)[number], host = 'localhost') {
      const address = `${crypto.randomUUID()}@shop.example`;
      const body = mailboxBody(dovecot, { address, provider });
      const port = Number(new URL(smtp.url).port);
      const own = { host, port, username: address, password: 'secret', tls: true };
      return { ...body, credentials: { ...body.credentials, host, ssl: true, smtp: own } };
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const tried = async (body: object) =>
  (await client.call<MailboxTest>(testNewMailbox, { body })).body;

describeIf(path !== null, DOVECOT)('a mail server with TLS', () => {
  it('is used where its certificate is trusted: for mail and for its replies', async () => {
    await using servers = await mailServers(trusted.issue('DNS:localhost'));
    const works = { works: true, error: null, code: null };
    for (const provider of PROVIDERS) {
      const body = servers.bodyFor(provider);
      expect(await tried(body)).toEqual({ fetch: works, send: works });
      const agentId = (await agentWithArticle(client)).agent.id;
      const id = await connectedBy(client, agentId, body);
      const mail = mailFrom('Ada <ada@mail.example>', { id: provider, subject: provider });
      await servers.dovecot.deliver(body.emailAddress, mail);
      await repliedTo(client, id, provider, 'sent');
    }
    expect(servers.smtp.received.map(({ isEncrypted }) => isEncrypted)).toEqual([true, true]);
  });

  it('receives nothing when no trusted authority has issued its certificate', async () => {
    using other = certificateAuthority();
    await using servers = await mailServers(other.issue('DNS:localhost'));
    const refused = {
      works: false,
      code: 'certificate',
      error: expect.stringMatching(
        /^The certificate of localhost .* no authority that is trusted here/,
      ),
    };
    for (const provider of PROVIDERS) {
      expect(await tried(servers.bodyFor(provider))).toEqual({ fetch: refused, send: refused });
    }
    expect(servers.smtp.received).toEqual([]);
  });

  it('receives nothing when its certificate is for another name', async () => {
    await using servers = await mailServers(trusted.issue('DNS:mail.shop.example'));
    for (const host of ['localhost', '127.0.0.1']) {
      const error = `The certificate of ${host} is not accepted: it is for another name.`;
      const refused = { works: false, code: 'certificate', error };
      for (const provider of PROVIDERS) {
        const body = servers.bodyFor(provider, host);
        expect(await tried(body)).toEqual({ fetch: refused, send: refused });
      }
    }
  });

  it('is not accepted when it speaks plain text', async () => {
    await using dovecot = await startDovecot(path ?? '');
    for (const provider of PROVIDERS) {
      const address = `${crypto.randomUUID()}@shop.example`;
      const body = mailboxBody(dovecot, { address, provider });
      const secure = { ...body, credentials: { ...body.credentials, ssl: true } };
      expect((await tried(secure)).fetch).toMatchObject({ works: false, code: 'tls' });
    }
  });
});
