import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  chatWithAgent,
  regenerateReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  type ChatBudget,
  getChatBudget,
  setChatBudget,
} from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { joinAs } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let peer: Peer;
beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response) =>
    sendJson(response, 200, {
      ...completion({ answer: 'Yes.' }),
      usage: { prompt_tokens: 100, completion_tokens: 10 },
    }),
  );
});
afterAll(() => peer?.[Symbol.asyncDispose]());

/** An Admin, and an agent whose replies use 110 tokens. */
async function talking() {
  const { client } = await registerOrganization(product.url);
  const { id: connectionId } = await newConnection(client, { baseUrl: peer.baseURL });
  const { body } = await client.call<Agent>(createAgent, {
    body: { ...agentInput, model: { connectionId } },
  });
  return { client, id: body.id };
}

const say = (client: ApiClient, id: string) =>
  client.call<ChatReply & Problem>(chatWithAgent, {
    params: { id },
    body: { message: 'Is it open?' },
  });
const budget = async (client: ApiClient) => (await client.call<ChatBudget>(getChatBudget)).body;
const allow = (client: ApiClient, monthlyTokens: unknown) =>
  client.call<Problem>(setChatBudget, { body: { monthlyTokens } });

describe('the token budget of chat', () => {
  it('refuses messages once it is used up, until it is raised', async () => {
    const { client, id } = await talking();
    expect(await budget(client)).toMatchObject({ monthlyTokens: null, usedTokens: 0 });
    expect(await allow(client, 200)).toMatchObject({ status: 200, body: { monthlyTokens: 200 } });
    const first = await say(client, id);
    expect(first.status).toBe(200);
    await expect.poll(() => budget(client)).toMatchObject({ monthlyTokens: 200, usedTokens: 110 });
    // Begun below the budget, completed above it.
    expect((await say(client, id)).status).toBe(200);
    await expect.poll(() => budget(client)).toMatchObject({ usedTokens: 220 });
    const before = peer.received.length;
    const refused = await say(client, id);
    expect(refused).toMatchObject({
      status: 402,
      body: { code: 'token-budget-exceeded', params: { limit: 200, used: 220 } },
    });
    const { conversationId } = first.body;
    const again = await client.call<Problem>(regenerateReply, { params: { id: conversationId } });
    expect(again).toMatchObject({ status: 402, body: { code: 'token-budget-exceeded' } });
    expect(peer.received).toHaveLength(before);
    await allow(client, null);
    await expect.poll(async () => (await say(client, id)).status).toBe(200);
  });

  it('counts chat alone, and ends with the month', async () => {
    const { client, id } = await talking();
    await client.call(executeTask, { params: { id }, body: { input: 'Is it open?' } });
    await say(client, id);
    await expect.poll(() => budget(client)).toMatchObject({ usedTokens: 110 });
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
    expect(new Date((await budget(client)).resetsAt)).toEqual(next);
  });

  it('of 0 ends chat, in this organization alone', async () => {
    const [one, other] = [await talking(), await talking()];
    await allow(one.client, 0);
    await expect.poll(async () => (await budget(one.client)).monthlyTokens).toBe(0);
    expect((await say(one.client, one.id)).status).toBe(402);
    expect((await say(other.client, other.id)).status).toBe(200);
  });

  it('is set by Admins, and seen by all', async () => {
    const { client } = await talking();
    const { client: viewer } = await joinAs(client, product.url, 'Viewer');
    expect((await allow(viewer, 5)).status).toBe(403);
    expect((await viewer.call(getChatBudget)).status).toBe(200);
    for (const wrong of [-1, 1.5, '5', 1e13, true]) {
      const { status, body } = await allow(client, wrong);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([422, ['monthlyTokens']]);
    }
  });
});
