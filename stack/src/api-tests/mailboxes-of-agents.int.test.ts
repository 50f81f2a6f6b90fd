import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  changeAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  connectMailbox,
  disconnectMailbox,
  listAllMailboxes,
  type Mailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GmailPeer, gmailBody, startGmailPeer } from '../testing/gmail-peer.ts';
import { connectedBy, mailboxOf, mailFrom, repliedTo } from '../testing/mailboxes.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { SOON } from '../testing/soon.ts';

let product: OwnProduct;
let gmail: GmailPeer;
let model: Peer;
let client: ApiClient;
let agentId: string;

const params = () => ({ params: { id: agentId } });
const all = async () => (await client.call<Mailbox[]>(listAllMailboxes)).body;
const tasks = async () => (await client.call<Task[]>(listTasks, { query: { agentId } })).body;
const ask = (subject: string, headers: readonly string[] = []) => {
  const id = crypto.randomUUID().replaceAll('-', '');
  gmail.deliver(id, mailFrom('Ada Byron <ada@mail.example>', { id, subject }, headers));
};

beforeAll(async () => {
  gmail = await startGmailPeer();
  model = await openAiPeer((response) =>
    sendJson(response, 200, completion({ answer: 'Yes.', usedPassages: [], reasoning: 'None.' })),
  );
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    mailboxTimes: SOON,
    googleApiBase: gmail.url,
    model: { openAiApiKey: 'sk-canary-0123456789', openAiBaseUrl: model.baseURL },
  });
});
beforeEach(async () => {
  ({ client } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
});
/** All of them read the same inbox of the peer. */
afterEach(async () => {
  for (const { id } of await all()) await client.call(disconnectMailbox, { params: { id } });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await gmail[Symbol.asyncDispose]();
});

describe('the mailbox of an agent', () => {
  it('pauses with the agent, and afterwards fetches the mail that arrived meanwhile', async () => {
    const id = await connectedBy(client, agentId, gmailBody());
    await client.call(changeAgent, { ...params(), body: { isActive: false } });
    expect(await mailboxOf(client, agentId)).toMatchObject({
      status: 'paused',
      pauseReason: 'agent-paused',
      nextPollAt: null,
      lastError: null,
    });
    ask('while paused');
    await client.call(changeAgent, { ...params(), body: { isActive: true } });
    await repliedTo(client, id, 'while paused', 'sent');
    expect(await tasks()).toHaveLength(1);
    await expect.poll(async () => (await mailboxOf(client, agentId)).pauseReason).toBeNull();
  });

  it('may be connected while the agent is paused, and begins with it', async () => {
    await client.call(changeAgent, { ...params(), body: { isActive: false } });
    const options = { ...params(), body: gmailBody() };
    const { body } = await client.call<Mailbox>(connectMailbox, options);
    expect(body).toMatchObject({ status: 'paused', pauseReason: 'agent-paused' });
    ask('before the first look');
    await client.call(changeAgent, { ...params(), body: { isActive: true } });
    await repliedTo(client, body.id, 'before the first look', 'sent');
  });

  it('is deleted with the agent, and restored with it and its mail', async () => {
    const id = await connectedBy(client, agentId, gmailBody());
    await client.call(deleteAgent, params());
    expect(await all()).toEqual([]);
    ask('while deleted');
    await client.call(restoreAgent, { ...params(), body: {} });
    await repliedTo(client, id, 'while deleted', 'sent');
    expect(await all()).toMatchObject([{ id, lastError: null }]);
    expect(await tasks()).toHaveLength(1);
  });

  it('leaves its address to another agent once its own is deleted', async () => {
    const wanted = gmailBody();
    const id = await connectedBy(client, agentId, wanted);
    const other = (await agentWithArticle(client)).agent.id;
    const connect = () =>
      client.call<Mailbox>(connectMailbox, { params: { id: other }, body: wanted });
    expect((await connect()).status).toBe(409);
    await client.call(deleteAgent, params());
    const { status, body } = await connect();
    expect([status, body.id === id]).toEqual([201, false]);
    await client.call(restoreAgent, { ...params(), body: {} });
    expect((await all()).map((one) => one.agentId)).toEqual([other]);
  });
});

describe('an agent that answers mail', () => {
  it('receives the sender, the subject and the time, marked as unverified', async () => {
    const id = await connectedBy(client, agentId, gmailBody());
    ask('dated', ['Date: Sat, 21 Nov 2026 08:30:00 +0100']);
    await repliedTo(client, id, 'dated', 'sent');
    const prompt = model.received
      .flatMap(({ body }) => body.messages)
      .find(({ content }) => content.includes('Subject: dated'))?.content;
    const fence = /<<<context (\w+)>>>\n([\s\S]*?)\n<<<end context \1>>>/.exec(prompt ?? '')?.[2];
    expect(fence?.split('\n')).toEqual([
      'The request came as a mail.',
      'From: Ada Byron <ada@mail.example>',
      'Subject: dated',
      'Date: 2026-11-21T07:30:00.000Z',
    ]);
    const [task] = await tasks();
    expect(JSON.stringify(task)).not.toContain('ada@mail.example');
  });
});
