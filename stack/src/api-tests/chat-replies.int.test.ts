import {
  type Answering,
  openAiPeer,
  type Peer,
  StreamedCompletion,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { changeAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  ChatReply,
  type ConversationDetail,
  chatWithAgent,
  deleteConversation,
  getConversation,
  ReplyBegun,
  ReplyPiece,
  regenerateReply,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { endOtherSignIns } from '@tallyhand/contracts/features/identity/account.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { itIf, ONE_PROCESS } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApplication } from '../application/start.ts';
import { type OpenedStream, openStream, type StreamEvent } from '../testing/event-stream.ts';
import { joinAs, membersOfEachRole } from '../testing/members.ts';
import { isManyProcesses, type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let peer: Peer;
let client: ApiClient;
let viewer: ApiClient;
let agentId = '';
/** How the model behaves in a test. */
let answering: Answering;

beforeAll(async () => {
  peer = await openAiPeer((...args) => answering(...args));
  product = await startTestProduct({
    model: { openAiBaseUrl: peer.baseURL, openAiModel: 'peer' },
  });
  ({ client } = await registerOrganization(product.url));
  viewer = (await membersOfEachRole(client, product.url)).get('Viewer') ?? expect.fail();
  agentId = (await agentWithArticle(client)).agent.id;
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

const say = (message: string, conversationId?: string, headers = {}) =>
  openStream(product.url, client, chatWithAgent, {
    params: { id: agentId },
    body: { message, ...(conversationId ? { conversationId } : {}) },
    headers,
  });
const regenerate = (id: string, by = client) =>
  openStream(product.url, by, regenerateReply, { params: { id } });
const read = async (id: string) =>
  (await client.call<ConversationDetail>(getConversation, { params: { id } })).body;
const stop = (id: string, by = client) => by.call<Problem>(stopReply, { params: { id } });
const saidIn = async (id: string) =>
  (await read(id)).messages.map(({ role, content, stopped }) => [role, content, stopped]);

/** The model writes these pieces, and ends. */
const writes =
  (...pieces: string[]): Answering =>
  (response) =>
    new StreamedCompletion(response).say(...pieces).end();

/** The model sends these pieces and then nothing more. Tells when it is called, and left. */
function hangsAfter(...pieces: string[]) {
  const called = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  answering = (response) => {
    response.once('close', () => gone.resolve());
    new StreamedCompletion(response).say(...pieces);
    called.resolve();
  };
  return { called: called.promise, gone: gone.promise };
}

const textOf = (events: readonly StreamEvent[]) =>
  events
    .filter(({ event }) => event === 'text')
    .map(({ data }) => ReplyPiece.parse(data).piece)
    .join('');

const begun = (event: StreamEvent | undefined) => ReplyBegun.parse(event?.data);
const given = (event: StreamEvent | undefined) => ChatReply.parse(event?.data);

/** Reads until this much of the reply has arrived; returns the conversation. */
async function readTo(stream: OpenedStream, text: string): Promise<string> {
  const started = await stream.next();
  expect(started?.event).toBe('started');
  for (let read = ''; read.length < text.length; ) {
    const next = await stream.next();
    expect(next?.event).toBe('text');
    read += ReplyPiece.parse(next?.data).piece;
  }
  return begun(started).conversationId;
}

/** A reply that was written to its end. */
async function replied(text: string): Promise<string> {
  answering = writes(text);
  await using stream = await say('Hello');
  return given((await stream.until('reply')).at(-1)).conversationId;
}

describe('a streamed reply', () => {
  it('starts, arrives piece by piece, and ends with the stored text', async () => {
    answering = writes('Within ', '**30 days**', ' [1].');
    await using stream = await say('Within how many days can items be returned?');
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('tallyhand-position')).toBeTruthy();
    const events = await stream.until('the end');
    const [first, last] = [events[0], events.at(-1)];
    const reply = given(last);
    expect(first).toMatchObject({
      event: 'started',
      data: { conversationId: reply.conversationId },
    });
    expect(last?.event).toBe('reply');
    expect(textOf(events)).toContain('Within **30 days**');
    expect(reply).toMatchObject({ response: expect.stringContaining('30 days'), stopped: false });
    const kept = await read(reply.conversationId);
    expect(kept.replyPending).toBe(false);
    expect(kept.messages).toHaveLength(2);
    expect(kept.messages[0]?.id).toBe(begun(first).messageId);
    expect(kept.messages[1]).toMatchObject({ id: reply.messageId, content: reply.response });
  });

  it('is an ordinary problem when it is refused before it begins', async () => {
    const params = { id: crypto.randomUUID() };
    await using stream = await openStream(product.url, client, chatWithAgent, {
      params,
      body: { message: 'Hello' },
    });
    expect(stream.status).toBe(404);
    expect(stream.headers.get('content-type')).toContain('application/problem+json');
  });

  it('ends with a problem when the model fails, and the message can be answered again', async () => {
    answering = (response) => sendJson(response, 401, { error: { message: 'no' } });
    await using stream = await say('Hello');
    const events = await stream.until('the end');
    expect(events.map(({ event }) => event)).toEqual(['started', 'failed']);
    expect(events[1]?.data).toMatchObject({
      status: 503,
      code: 'agent-unavailable',
      params: { cause: { code: 'model-rejected', params: { reason: 'key', status: 401 } } },
    });
    const { conversationId } = begun(events[0]);
    expect(await read(conversationId)).toMatchObject({ replyPending: false, messageCount: 1 });
    answering = writes('Now ', 'I can.');
    await using again = await regenerate(conversationId);
    await again.until('reply');
    expect(await saidIn(conversationId)).toEqual([
      ['user', 'Hello', false],
      ['agent', 'Now I can.', false],
    ]);
  });

  it('is written once for one key: a repeat gets the same complete reply', async () => {
    answering = writes('Once.');
    const headers = { 'idempotency-key': crypto.randomUUID() };
    await using first = await say('Hello', undefined, headers);
    const last = (await first.until('the end')).at(-1);
    answering = writes('Twice.');
    await using second = await say('Hello', undefined, headers);
    expect(await second.until('the end')).toEqual([last]);
  });
});

describe('a reply that is stopped', () => {
  it('keeps the text so far, and informs its readers', async () => {
    const { gone } = hangsAfter('As far ', 'as this');
    await using stream = await say('Hello');
    const id = await readTo(stream, 'As far as this');
    expect(await read(id)).toMatchObject({ replyPending: true, messageCount: 1 });
    expect((await stop(id)).status).toBe(204);
    await gone;
    const last = (await stream.until('reply')).at(-1);
    expect(last?.data).toMatchObject({ response: 'As far as this', stopped: true });
    expect(await saidIn(id)).toEqual([
      ['user', 'Hello', false],
      ['agent', 'As far as this', true],
    ]);
    answering = writes('Goes on.');
    await using next = await say('And now?', id);
    expect(textOf(await next.until('reply'))).toBe('Goes on.');
  });

  it('stops the model and keeps its part when the caller disconnects', async () => {
    const { gone } = hangsAfter('Half a sen');
    const stream = await say('Hello');
    const id = await readTo(stream, 'Half a sen');
    stream.leave();
    await gone;
    await expect
      .poll(() => saidIn(id))
      .toEqual([
        ['user', 'Hello', false],
        ['agent', 'Half a sen', true],
      ]);
  });

  it('leaves the message to be answered when nothing was written yet', async () => {
    const { called, gone } = hangsAfter();
    await using stream = await say('Hello');
    const id = await readTo(stream, '');
    await called;
    expect((await stop(id)).status).toBe(204);
    await gone;
    const last = (await stream.until('failed')).at(-1);
    expect(last?.data).toMatchObject({ status: 409, code: 'reply-stopped' });
    expect(await read(id)).toMatchObject({ replyPending: false, messageCount: 1 });
  });

  it('is stopped from another process too', async () => {
    await using other = await startApplication({ ...product.config, port: 0 });
    const { gone } = hangsAfter('As far as this');
    await using stream = await say('Hello');
    const id = await readTo(stream, 'As far as this');
    const elsewhere = apiClient(`http://127.0.0.1:${other.port}`);
    for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
    expect((await stop(id, elsewhere)).status).toBe(204);
    await gone;
    expect((await stream.until('reply')).at(-1)?.data).toMatchObject({ stopped: true });
    const { body } = await elsewhere.call<ConversationDetail>(getConversation, { params: { id } });
    expect(body).toMatchObject({ replyPending: false, messageCount: 2 });
  });

  it("ends soon after the caller's sign-in, and keeps the text so far", async () => {
    const { client: leaving, user } = await joinAs(client, product.url, 'Viewer');
    const { gone } = hangsAfter('Half a sen');
    await using stream = await openStream(product.url, leaving, chatWithAgent, {
      params: { id: agentId },
      body: { message: 'Hello' },
    });
    const id = await readTo(stream, 'Half a sen');
    const other = apiClient(product.url);
    await other.call(signIn, { body: { email: user.email, password: testPassword } });
    await other.call(endOtherSignIns);
    expect((await stream.until('failed')).at(-1)?.data).toMatchObject({ code: 'not-signed-in' });
    expect(await stream.next()).toBeUndefined();
    await gone;
    const found = () => other.call<ConversationDetail>(getConversation, { params: { id } });
    await expect
      .poll(async () => (await found()).body.messages[1])
      .toMatchObject({ content: 'Half a sen', stopped: true });
  });

  it('ends soon after its caller was removed', async () => {
    const { client: removed, user } = await joinAs(client, product.url, 'Viewer');
    const { gone } = hangsAfter('Half a sen');
    await using stream = await openStream(product.url, removed, chatWithAgent, {
      params: { id: agentId },
      body: { message: 'Hello' },
    });
    await readTo(stream, 'Half a sen');
    await client.call(removeMember, { params: { id: user.id } });
    expect((await stream.until('failed')).at(-1)?.data).toMatchObject({ code: 'not-signed-in' });
    await gone;
  });

  // A service that ends lets its calls end first.
  itIf(!isManyProcesses, ONE_PROCESS)(
    'is kept as far as it came when the product ends',
    async () => {
      const { gone } = hangsAfter('As far as this');
      await using stream = await say('Hello');
      const id = await readTo(stream, 'As far as this');
      await product.restart();
      await gone;
      await expect.poll(() => saidIn(id)).toHaveLength(2);
      expect((await saidIn(id))[1]).toEqual(['agent', 'As far as this', true]);
    },
  );

  it('has no effect without a reply in progress, and is refused to others', async () => {
    const id = await replied('Done.');
    expect((await stop(id)).status).toBe(204);
    expect((await stop(id, viewer)).status).toBe(404);
    expect((await stop(crypto.randomUUID())).status).toBe(404);
  });
});

describe('while a reply is written', () => {
  it('blocks other messages in the same conversation, but not in another', async () => {
    hangsAfter('Slowly');
    await using stream = await say('Hello');
    const id = await readTo(stream, 'Slowly');
    await using second = await say('Quick!', id);
    expect([second.status, second.headers.get('content-type')]).toEqual([
      409,
      expect.stringContaining('application/problem+json'),
    ]);
    const again = await client.call<Problem>(regenerateReply, { params: { id } });
    expect([again.status, again.body.code]).toEqual([409, 'reply-pending']);
    await replied('Elsewhere.');
    await stop(id);
    expect((await read(id)).messageCount).toBe(2);
  });

  it('the conversation can be deleted', async () => {
    hangsAfter('Slowly');
    await using stream = await say('Hello');
    const id = await readTo(stream, 'Slowly');
    expect((await client.call(deleteConversation, { params: { id } })).status).toBe(204);
    const last = (await stream.until('failed')).at(-1);
    expect(last?.data).toMatchObject({ status: 404 });
  });
});

describe('a reply that is requested again', () => {
  it('replaces the previous one; the history has both', async () => {
    const id = await replied('The first.');
    answering = writes('The second.');
    await using stream = await regenerate(id);
    const events = await stream.until('reply');
    expect(events[0]?.data).toMatchObject({ conversationId: id });
    expect(await saidIn(id)).toEqual([
      ['user', 'Hello', false],
      ['agent', 'The second.', false],
    ]);
    expect((await read(id)).messageCount).toBe(2);
    const log = openEventLog(product.config.eventStoreUrl);
    const types: string[] = [];
    for await (const { event } of log.client.readStream(`conversation-${id}`)) {
      if (event) types.push(event.type);
    }
    await log.close();
    expect(types.slice(2)).toEqual(['ReplyGiven', 'ReplyRequestedAgain', 'ReplyGiven']);
  });

  it('keeps the previous one when it fails', async () => {
    const id = await replied('The first.');
    answering = (response) => sendJson(response, 401, { error: { message: 'no' } });
    await using stream = await regenerate(id);
    expect((await stream.until('failed')).at(-1)?.event).toBe('failed');
    expect((await saidIn(id))[1]).toEqual(['agent', 'The first.', false]);
  });

  it('does not receive the previous reply', async () => {
    const id = await replied('A secret of the first reply.');
    answering = writes('The second.');
    await using stream = await regenerate(id);
    await stream.until('reply');
    const asked = JSON.stringify(peer.received.at(-1)?.body.messages);
    expect(asked).toContain('Hello');
    expect(asked).not.toContain('A secret of the first reply.');
  });

  it('belongs to the member who started the conversation', async () => {
    const id = await replied('Mine.');
    await using stream = await regenerate(id, viewer);
    expect(stream.status).toBe(404);
  });

  it('is refused by an agent that is paused', async () => {
    const id = await replied('Before.');
    const params = { id: agentId };
    await client.call(changeAgent, { params, body: { isActive: false } });
    await using stream = await regenerate(id);
    await client.call(changeAgent, { params, body: { isActive: true } });
    expect(stream.status).toBe(409);
  });
});
