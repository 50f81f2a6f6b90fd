import { createServer } from 'node:net';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  connectMailbox,
  disconnectMailbox,
  type MailboxTest,
  pauseMailbox,
  resumeMailbox,
  sendReplyAgain,
  testMailbox,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, startMailServer, startOddServer } from '@tallyhand/test-kit/mail-server';
import { DOVECOT, describeIf } from '@tallyhand/test-kit/needs';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Dovecot, dovecotPath, startDovecot } from '../testing/dovecot.ts';
import {
  connected,
  mailboxBody,
  mailboxOf,
  mailFrom,
  mailsOf,
  repliedTo,
} from '../testing/mailboxes.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';

const path = dovecotPath();
if (!path) console.warn('Skipped: Dovecot (dovecot-imapd, dovecot-pop3d) is not installed here.');

const TEST_SOON = { mailboxTestMsMax: 8_000 };
const QUESTION = 'Within how many days can items be returned?';

let product: OwnProduct;
let dovecot: Dovecot;
let smtp: MailServer;
let client: ApiClient;
let agentId: string;
let address: string;

const smtpPort = () => Number(new URL(smtp.url).port);
const tasksOf = async () => (await client.call<Task[]>(listTasks, { query: { agentId } })).body;
const repliesTo = (subject: string) =>
  smtp.received.filter(({ text }) => text.includes(`Subject: Re: ${subject}`));
const connect = (options: object = {}) =>
  connected(client, dovecot, { agentId, address, smtpPort: smtpPort(), ...options });
const ask = (id: string, subject = id, headers: readonly string[] = []) =>
  dovecot.deliver(
    address,
    mailFrom('Ada <ada@mail.example>', { id, subject, text: QUESTION }, headers),
  );
const state = () => mailboxOf(client, agentId);

beforeAll(async () => {
  if (!path) return;
  dovecot = await startDovecot(path);
  smtp = await startMailServer();
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    mailboxTimes: SOON,
    ...TEST_SOON,
  });
});
beforeEach(async () => {
  if (!path) return;
  smtp.behave('takes');
  ({ client } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
  address = `${crypto.randomUUID()}@shop.example`;
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await smtp?.[Symbol.asyncDispose]();
  await dovecot?.[Symbol.asyncDispose]();
});

describeIf(path !== null, DOVECOT)('a mail', () => {
  it.each(['imap', 'pop3'] as const)(
    'over %s makes one task, and gets one answer',
    async (provider) => {
      const subject = `Returns by ${provider}`;
      const old = mailFrom('Eve <eve@mail.example>', { id: 'before', subject: 'From before' });
      await dovecot.deliver(address, old, new Date(Date.now() - 60_000));
      const id = await connect({ provider });
      await ask(provider, subject);
      await ask(provider, subject);
      const known = await repliedTo(client, id, subject, 'sent');
      expect(known).toMatchObject({ from: 'ada@mail.example', reason: null });
      expect(await tasksOf()).toMatchObject([
        { id: known.taskId, status: 'success', type: 'query' },
      ]);
      const [got, ...more] = repliesTo(subject);
      expect(more).toEqual([]);
      expect(got?.to).toEqual(['ada@mail.example']);
      expect(got?.text).toMatch(/30 days/);
      expect(got?.text).toContain(`In-Reply-To: <${provider}@mail.example>`);
      expect(got?.text).toContain(`References: <${provider}@mail.example>`);
      expect(got?.text).toContain('Auto-Submitted: auto-replied');
      expect(got?.text).toContain(`> ${QUESTION}`);
    },
  );

  it('of a machine is not answered, and a bounce makes no task', async () => {
    const id = await connect();
    await ask('list', 'list', ['List-Id: <news.mail.example>']);
    await ask('bounce', 'bounce', ['Return-Path: <>']);
    await ask('person');
    await repliedTo(client, id, 'person', 'sent');
    expect(await repliedTo(client, id, 'list', 'none')).toMatchObject({ reason: 'mailing-list' });
    expect(await repliedTo(client, id, 'bounce', 'none')).toMatchObject({
      reason: 'bounce',
      taskId: null,
    });
    await expect.poll(async () => (await tasksOf()).length).toBe(2);
    expect([...repliesTo('list'), ...repliesTo('bounce')]).toEqual([]);
  });

  it('that is too large is noted, and not read', async () => {
    const id = await connect();
    const text = 'x'.repeat(70).concat('\r\n').repeat(400_000);
    await dovecot.deliver(
      address,
      mailFrom('ada@mail.example', { id: 'large', subject: 'large', text }),
    );
    await ask('after');
    await repliedTo(client, id, 'after', 'sent');
    expect(await repliedTo(client, id, 'large', 'none')).toMatchObject({ reason: 'too-large' });
    expect(await tasksOf()).toHaveLength(1);
  });

  it('waits while there is no credit for it, and the mailbox reports why', async () => {
    const limit = { kind: 'agent', id: agentId };
    await client.call(setLimit, { body: { ...limit, monthlyCredits: 0 } });
    const id = await connect();
    await ask('poor');
    await expect.poll(async () => (await state()).lastError).toMatch(/^Mail waits: /);
    expect(await tasksOf()).toEqual([]);
    await client.call(setLimit, { body: { ...limit, monthlyCredits: null } });
    await repliedTo(client, id, 'poor', 'sent');
    expect(await tasksOf()).toHaveLength(1);
    await expect.poll(async () => (await state()).lastError).toBeNull();
  });
});

describeIf(path !== null, DOVECOT)('a reply', () => {
  it.each(['never answers the message', 'hangs up after the message'] as const)(
    'is uncertain, and sent again by a person alone, when a server %s',
    async (behaviour) => {
      smtp.behave(behaviour);
      const id = await connect();
      await ask(behaviour);
      const mail = await repliedTo(client, id, behaviour, 'uncertain');
      smtp.behave('takes');
      await ask('next');
      await repliedTo(client, id, 'next', 'sent');
      expect(repliesTo(behaviour)).toHaveLength(1);
      const again = () => client.call(sendReplyAgain, { params: { id: mail.id } });
      expect((await again()).status).toBe(202);
      await repliedTo(client, id, behaviour, 'sent');
      expect((await again()).status).toBe(409);
      const ids = repliesTo(behaviour).map(({ text }) => /^Message-ID: .*$/m.exec(text)?.[0]);
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    },
  );

  it('is retried while it is undelivered, and not when it is refused', async () => {
    smtp.behave('is full');
    const id = await connect();
    await ask('full');
    await repliedTo(client, id, 'full', 'waiting');
    smtp.behave('takes');
    await repliedTo(client, id, 'full', 'sent');
    expect(repliesTo('full')).toHaveLength(1);
    smtp.behave('refuses the recipient');
    await ask('refused');
    await repliedTo(client, id, 'refused', 'failed');
  });

  it('waits while no SMTP server is configured, and is sent when one is', async () => {
    const id = await connect({ smtpPort: undefined });
    expect((await state()).canReply).toBe(false);
    await ask('later');
    await expect.poll(async () => (await tasksOf())[0]?.status).toBe('success');
    expect(repliesTo('later')).toEqual([]);
    expect(await connect()).toBe(id);
    await repliedTo(client, id, 'later', 'sent');
    expect(await tasksOf()).toHaveLength(1);
  });

  it('is not sent as the sixth to one sender within an hour: the mailbox pauses', async () => {
    const id = await connect();
    for (let count = 0; count < 6; count += 1) await ask(`many-${count}`);
    await expect.poll(async () => (await state()).pauseReason).toBe('too-many-replies');
    const sent = (await mailsOf(client, id)).filter(({ reply }) => reply === 'sent');
    expect(sent).toHaveLength(5);
  });
});

describeIf(path !== null, DOVECOT)('a mailbox', () => {
  it('fetches nothing while it is paused, and everything afterwards', async () => {
    const id = await connect();
    expect((await client.call(pauseMailbox, { params: { id } })).body).toMatchObject({
      status: 'paused',
      pauseReason: 'by-person',
    });
    await ask('paused');
    expect((await client.call(resumeMailbox, { params: { id } })).status).toBe(200);
    await repliedTo(client, id, 'paused', 'sent');
    expect((await client.call(resumeMailbox, { params: { id } })).status).toBe(409);
  });

  it('pauses when it floods', async () => {
    const id = await connect({ settings: { autoReply: false } });
    // Whatever they are: these make no tasks, which would only take longer.
    const bounce = ['Return-Path: <>'];
    for (let count = 0; count < 62; count += 1) await ask(`flood-${count}`, 'flood', bounce);
    await expect.poll(async () => (await state()).pauseReason).toBe('too-much-mail');
    expect((await mailsOf(client, id)).length).toBe(60);
  });

  it('stops at a wrong password, and resumes with the right one', async () => {
    const id = await connect({ password: 'wrong' });
    await expect.poll(async () => (await state()).status).toBe('failing');
    expect(await state()).toMatchObject({ lastErrorCode: 'wrong-password', nextPollAt: null });
    expect((await state()).lastError).not.toContain('wrong-password');
    expect(await connect()).toBe(id);
    await expect.poll(async () => (await state()).status).toBe('connected');
  });

  it('fails while its server is away, and works again after', async () => {
    await using own = await startDovecot(path ?? '');
    await connected(client, own, { agentId, address });
    await own.stop();
    await expect.poll(async () => (await state()).status).toBe('failing');
    expect((await state()).lastError).toMatch(/127\.0\.0\.1/);
    await own.start();
    await expect.poll(async () => (await state()).status).toBe('connected');
    expect((await state()).lastError).toBeNull();
  });

  it('belongs to one agent: its address cannot be connected twice', async () => {
    await connect();
    const other = (await agentWithArticle(client)).agent.id;
    const body = mailboxBody(dovecot, { address: address.toUpperCase() });
    const answer = await client.call(connectMailbox, { params: { id: other }, body });
    expect([answer.status, answer.body]).toMatchObject([409, { code: 'address-connected' }]);
  });

  it('is forgotten with its credentials when it is disconnected', async () => {
    const id = await connect();
    expect((await client.call(disconnectMailbox, { params: { id } })).status).toBe(204);
    await expect
      .poll(() => client.call(pauseMailbox, { params: { id } }))
      .toMatchObject({
        status: 404,
      });
    await using admin = Object.assign(
      new pg.Client({ connectionString: product.config.databaseUrl }),
      {
        async [Symbol.asyncDispose](this: pg.Client) {
          await this.end();
        },
      },
    );
    await admin.connect();
    for (const table of ['mailboxes', 'mailbox_credentials', 'mailbox_mails']) {
      const { rows } = await admin.query(
        `select 1 from operational.${table} where mailbox_id = $1`,
        [id],
      );
      expect([table, rows]).toEqual([table, []]);
    }
    expect(await connect()).not.toBe(id);
  });
});

describeIf(path !== null, DOVECOT)('Test connection', () => {
  const tried = async (options: object = {}) => {
    const body = mailboxBody(dovecot, { address, smtpPort: smtpPort(), ...options });
    return (await client.call<MailboxTest>(testNewMailbox, { body })).body;
  };

  it.each(['imap', 'pop3'] as const)(
    'says that fetching and sending work over %s',
    async (provider) => {
      const works = { works: true, error: null, code: null };
      expect(await tried({ provider })).toEqual({ fetch: works, send: works });
      expect((await tried({ provider, smtpPort: undefined })).send).toBeNull();
    },
  );

  it.each(['imap', 'pop3'] as const)('reports a wrong password over %s', async (provider) => {
    const { fetch, send } = await tried({ provider, password: 'wrong' });
    expect(fetch).toMatchObject({ works: false, code: 'wrong-password' });
    expect(send?.works).toBe(true);
  });

  it('of a connected mailbox uses the stored credentials', async () => {
    const id = await connect();
    const { body } = await client.call<MailboxTest>(testMailbox, { params: { id } });
    expect(body).toMatchObject({ fetch: { works: true }, send: { works: true } });
  });

  it('does not reach private hosts', async () => {
    const body = mailboxBody({ imapPort: 993, pop3Port: 995 }, { address });
    const credentials = { ...body.credentials, host: '10.0.0.1' };
    const answer = await client.call<MailboxTest>(testNewMailbox, {
      body: { ...body, credentials },
    });
    expect(answer.body.fetch).toMatchObject({ works: false, code: 'host-refused' });
  });

  it('ends in time when a server is silent, wrong or endless', async () => {
    const fetchOver = async (provider: 'imap' | 'pop3', says: string | null) => {
      await using odd = await startOddServer(says);
      const port = Number(new URL(odd.url).port);
      const body = mailboxBody({ imapPort: port, pop3Port: port }, { address, provider });
      return (await client.call<MailboxTest>(testNewMailbox, { body })).body.fetch;
    };
    const odd = [null, 'HTTP/1.1 200 OK\r\n\r\n', '* one more line '];
    const ends = odd.flatMap((says) => [fetchOver('imap', says), fetchOver('pop3', says)]);
    for (const fetch of await Promise.all(ends)) {
      expect(fetch).toMatchObject({ works: false, error: expect.stringMatching(/^127\.0\.0\.1 /) });
    }
  });

  it('reports a refused connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const body = mailboxBody({ imapPort: port, pop3Port: port }, { address, smtpPort: port });
    const { fetch, send } = (await client.call<MailboxTest>(testNewMailbox, { body })).body;
    expect([fetch.code, send?.code]).toEqual(['connect', 'connect']);
  });
});
