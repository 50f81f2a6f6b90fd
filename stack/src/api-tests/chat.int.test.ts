import { changeAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  type Conversation,
  type ConversationDetail,
  chatWithAgent,
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let viewer: ApiClient;
let agentId = '';

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  viewer = (await membersOfEachRole(client, product.url)).get('Viewer') ?? expect.fail();
  agentId = (await agentWithArticle(client)).agent.id;
});

const question = 'Within how many days can items be returned?';
const say = (message: string, conversationId?: string, by = client, headers = {}) =>
  by.call<ChatReply & Problem>(chatWithAgent, {
    params: { id: agentId },
    body: { message, ...(conversationId ? { conversationId } : {}) },
    headers,
  });
const read = (id: string, by = client) =>
  by.call<ConversationDetail & Problem>(getConversation, { params: { id } });
const list = async (by = client) =>
  (await by.call<Conversation[]>(listConversations, { params: { id: agentId } })).body;

describe('a chat with an agent', () => {
  it('answers from the articles, names them, and costs nothing', async () => {
    const { status, body } = await say(question);
    expect(status).toBe(200);
    expect(body.response).toContain('30 days');
    expect(body.sources.map((source) => source.articleTitle)).toContain('Returns');
    const { body: organization } = await client.call<Organization>(getOrganization);
    expect(organization).toMatchObject({ creditBalance: 100, reserved: 0 });
  });

  it('is stored, in order, and can be continued', async () => {
    const { body: first } = await say(question);
    const { body: second } = await say('And who pays for it?', first.conversationId);
    expect(second.conversationId).toBe(first.conversationId);
    const { body } = await read(first.conversationId);
    expect(body).toMatchObject({ agentId, title: question, messageCount: 4 });
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'agent', 'user', 'agent']);
    expect(body.messages[0]?.content).toBe(question);
    expect(body.messages[1]).toMatchObject({ content: first.response, sources: first.sources });
  });

  it.each(['', 'x'])('is stored even if a character of its answer was cut: %s', async (shift) => {
    const long = `Within how many days can ${shift}${'😀'.repeat(200)} items be returned?`;
    const { body } = await say(`${question} ${long}`);
    expect(body.response).toContain('😀');
    const kept = (await read(body.conversationId)).body;
    expect(kept.messages[1]).toMatchObject({ content: body.response, sources: body.sources });
  });

  it('is listed, renamed and deleted', async () => {
    const { conversationId: id } = (await say(question)).body;
    expect((await list())[0]).toMatchObject({ id, messageCount: 2 });
    const body = { title: 'Sending back' };
    expect((await client.call(renameConversation, { params: { id }, body })).status).toBe(200);
    expect((await read(id)).body.title).toBe('Sending back');
    expect((await client.call(deleteConversation, { params: { id } })).status).toBe(204);
    expect((await list()).map((one) => one.id)).not.toContain(id);
    expect((await read(id)).status).toBe(404);
    expect((await say('Still there?', id)).status).toBe(404);
  });

  it('gives one answer to one key at each repetition', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await say(question, undefined, client, headers);
    const again = await say(question, undefined, client, headers);
    expect(again.body).toEqual(first.body);
    expect((await read(first.body.conversationId)).body.messageCount).toBe(2);
  });

  it('belongs to the member who started it, whatever the role of others', async () => {
    const theirs = (await say(question, undefined, viewer)).body.conversationId;
    expect((await read(theirs, client)).status).toBe(404);
    expect((await list(client)).map(({ id }) => id)).not.toContain(theirs);
    expect((await say('Hello', theirs, client)).status).toBe(404);
    const params = { id: theirs };
    const body = { title: 'Mine now' };
    expect((await client.call(renameConversation, { params, body })).status).toBe(404);
    expect((await client.call(deleteConversation, { params })).status).toBe(404);
    expect((await read(theirs, viewer)).status).toBe(200);
  });

  it('is in no event', async () => {
    const mark = `Quokka ${crypto.randomUUID()}`;
    const { body } = await say(mark);
    const log = openEventLog(product.config.eventStoreUrl);
    // What came before has no such text.
    const newest = { direction: 'backwards', fromPosition: 'end', maxCount: 500 } as const;
    const streams = new Set<string>();
    for await (const { event } of log.client.readAll(newest)) {
      expect(JSON.stringify(event?.data ?? {})).not.toContain(mark);
      if (event) streams.add(event.streamId);
    }
    expect(streams).toContain(`conversation-${body.conversationId}`);
    await log.close();
  });

  it('is refused by an agent that is paused or not there', async () => {
    await client.call(changeAgent, { params: { id: agentId }, body: { isActive: false } });
    expect((await say(question)).body).toMatchObject({ status: 409, code: 'agent-paused' });
    await client.call(changeAgent, { params: { id: agentId }, body: { isActive: true } });
    const params = { id: crypto.randomUUID() };
    const answer = await client.call(chatWithAgent, { params, body: { message: 'Hello' } });
    expect(answer.status).toBe(404);
  });
});
