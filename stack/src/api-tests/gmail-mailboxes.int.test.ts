import {
  disconnectMailbox,
  listAllMailboxes,
  type Mailbox,
  type MailboxTest,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GmailPeer, gmailBody, startGmailPeer } from '../testing/gmail-peer.ts';
import { connectedBy, mailFrom, repliedTo } from '../testing/mailboxes.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';

let product: OwnProduct;
let gmail: GmailPeer;
let client: ApiClient;
let agentId: string;

const connect = () => connectedBy(client, agentId, gmailBody());

const question = (id: string) =>
  mailFrom('Ada <ada@mail.example>', {
    id,
    subject: id,
    text: 'Within how many days can items be returned?',
  });

beforeAll(async () => {
  gmail = await startGmailPeer();
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    mailboxTimes: SOON,
    googleApiBase: gmail.url,
  });
});
beforeEach(async () => {
  gmail.answerSending(200);
  ({ client } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
});
/** All of them read the same inbox of the peer. */
afterEach(async () => {
  const { body } = await client.call<Mailbox[]>(listAllMailboxes);
  for (const { id } of body) await client.call(disconnectMailbox, { params: { id } });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await gmail[Symbol.asyncDispose]();
});

describe('a mailbox of Gmail', () => {
  it('makes one task of a mail, answers it in its conversation, and marks it as read', async () => {
    gmail.deliver('old', question('old'), new Date(Date.now() - 60_000));
    const id = await connect();
    gmail.deliver('new', question('new'));
    await repliedTo(client, id, 'new', 'sent');
    const { body } = await client.call<Task[]>(listTasks, { query: { agentId } });
    expect(body).toMatchObject([{ status: 'success' }]);
    const [reply, ...more] = gmail.sent.filter(({ raw }) => raw.includes('Subject: Re: new'));
    expect(more).toEqual([]);
    expect(reply?.threadId).toBe('tnew');
    expect(reply?.raw).toContain('In-Reply-To: <new@mail.example>');
    expect(reply?.raw).toContain('Auto-Submitted: auto-replied');
    expect(gmail.read).toContain('new');
    expect(gmail.read).not.toContain('old');
  });

  it.each([
    [0, 'uncertain'],
    [500, 'uncertain'],
    [400, 'failed'],
  ])('records the outcome of a reply that is answered with %i: %s', async (status, reply) => {
    gmail.answerSending(status);
    const id = await connect();
    const name = `status-${status}`;
    gmail.deliver(name.replace('-', ''), question(name));
    await repliedTo(client, id, name, reply);
    expect(gmail.sent.filter(({ raw }) => raw.includes(`Subject: Re: ${name}`))).toHaveLength(1);
  });

  it('is tried before it is connected', async () => {
    const tried = async (token?: string) =>
      (await client.call<MailboxTest>(testNewMailbox, { body: gmailBody(token) })).body;
    expect(await tried()).toMatchObject({ fetch: { works: true }, send: { works: true } });
    const { fetch } = await tried('another');
    expect(fetch).toMatchObject({ works: false, code: 'wrong-password' });
    expect(fetch.error).not.toContain('another');
  });
});
