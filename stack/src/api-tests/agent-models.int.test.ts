import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  type Agent,
  type AgentSummary,
  changeAgent,
  createAgent,
  getAgent,
  getAgentHistory,
  listAgentSummaries,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  getConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  changeConnection,
  deleteConnection,
  getModelUsage,
  type ModelUsageRow,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  type Task,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let admin: ApiClient;
let peer: Peer;
beforeAll(async () => {
  product = await sharedProduct();
  ({ client: admin } = await registerOrganization(product.url));
  peer = await openAiPeer((response, { body }) =>
    body.model === 'down'
      ? sendJson(response, 503, { error: {} }, { 'retry-after-ms': '1' })
      : sendJson(response, 200, {
          ...completion({ answer: `I am ${body.model}.` }),
          usage: { prompt_tokens: 100, completion_tokens: 10 },
        }),
  );
});
afterAll(() => peer?.[Symbol.asyncDispose]());

const connection = (models: readonly string[]) =>
  newConnection(admin, { baseUrl: peer.baseURL, models });

async function agentWith(model: object | null): Promise<Agent> {
  const { status, body } = await admin.call<Agent & Problem>(createAgent, {
    body: { ...agentInput, model },
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}

async function run({ id }: Agent): Promise<ExecutionResult> {
  const options = { params: { id }, body: { input: 'Who are you?' } };
  return (await admin.call<ExecutionResult>(executeTask, options)).body;
}

describe('the model of an agent', () => {
  it('answers its tasks and chats, each agent with its own', async () => {
    const [one, other] = [await connection(['large', 'small']), await connection(['tiny'])];
    const large = await agentWith({ connectionId: one.id });
    const tiny = await agentWith({ connectionId: other.id, model: 'tiny' });
    const small = await agentWith({ connectionId: one.id, model: 'small' });
    const outputs = [await run(large), await run(tiny), await run(small)];
    expect(outputs.map(({ output }) => output)).toEqual([
      'I am large.',
      'I am tiny.',
      'I am small.',
    ]);
    const task = await admin.call<Task>(getTask, { params: { id: outputs[1]?.taskId ?? '' } });
    expect(task.body).toMatchObject({ status: 'success', model: 'tiny' });
    const reply = await admin.call<ChatReply>(chatWithAgent, {
      params: { id: small.id },
      body: { message: 'Who are you?' },
    });
    expect(reply.body.response).toBe('I am small.');
  });

  it('is counted with its tokens and its cost, by task, message, member, agent and model', async () => {
    const { client, user } = await registerOrganization(product.url);
    const { id: connectionId } = await newConnection(client, {
      baseUrl: peer.baseURL,
      models: ['counted'],
      prices: [{ model: 'counted', input: 2, cachedInput: null, output: 10 }],
    });
    const made = await client.call<Agent>(createAgent, {
      body: { ...agentInput, model: { connectionId } },
    });
    const { id } = made.body;
    const ran = await client.call<ExecutionResult>(executeTask, {
      params: { id },
      body: { input: 'Who are you?' },
    });
    const counted = {
      connectionId,
      model: 'counted',
      calls: 1,
      inputTokens: 100,
      cachedTokens: 0,
      outputTokens: 10,
      isEstimated: false,
      costMicros: 300,
    };
    const task = await client.call<TaskDetail>(getTask, { params: { id: ran.body.taskId } });
    expect(task.body.usage).toMatchObject([counted]);
    const reply = await client.call<ChatReply>(chatWithAgent, {
      params: { id },
      body: { message: 'Who are you?' },
    });
    const { conversationId } = reply.body;
    const talk = await client.call<ConversationDetail>(getConversation, {
      params: { id: conversationId },
    });
    expect(talk.body.messages.map(({ usage }) => usage)).toMatchObject([[], [counted]]);
    const rows = async (by: string) =>
      (await client.call<ModelUsageRow[]>(getModelUsage, { query: { by } })).body;
    const both = {
      calls: 2,
      inputTokens: 200,
      outputTokens: 20,
      costMicros: 600,
      unpricedCalls: 0,
    };
    await expect.poll(() => rows('model')).toMatchObject([{ key: 'counted', ...both }]);
    expect(await rows('agent')).toMatchObject([{ key: id, name: agentInput.name, ...both }]);
    const summaries = await client.call<AgentSummary[]>(listAgentSummaries, { query: { ids: id } });
    const cost = { calls: 2, estimatedCalls: 0, unpricedCalls: 0, costMicros: 600 };
    expect(summaries.body[0]?.modelCost).toEqual({ last30Days: cost, total: cost });
    expect(await rows('member')).toMatchObject([{ key: user.id, ...both }]);
    expect((await rows('day')).at(-1)).toMatchObject(both);
    const elsewhere = await admin.call<ModelUsageRow[]>(getModelUsage, { query: { by: 'model' } });
    expect(elsewhere.body.map(({ key }) => key)).not.toContain('counted');
  });

  it('is asked with the options of the agent', async () => {
    const { id } = await connection(['large']);
    const options = { temperature: 0.25, maxOutputTokens: 500, reasoningEffort: 'low' };
    await run(await agentWith({ connectionId: id, ...options }));
    expect(peer.received.at(-1)?.body).toMatchObject({
      temperature: 0.25,
      max_tokens: 500,
      reasoning_effort: 'low',
    });
  });

  it('is replaced by the fallback while it is down', async () => {
    const { id: connectionId } = await connection(['down', 'spare']);
    const fallback = { connectionId, model: 'spare' };
    const agent = await agentWith({ connectionId, fallback });
    expect(await run(agent)).toMatchObject({ success: true, output: 'I am spare.' });
    const alone = await agentWith({ connectionId });
    expect(await run(alone)).toMatchObject({ success: false });
  });

  it('has no fallback once the connection of that is deleted', async () => {
    const { id: connectionId } = await connection(['down']);
    const { id } = await connection(['spare']);
    const agent = await agentWith({ connectionId, fallback: { connectionId: id } });
    await admin.call(deleteConnection, { params: { id } });
    expect(await run(agent)).toMatchObject({ success: false });
  });

  it('may be the built-in engine, or that of the installation', async () => {
    const before = peer.received.length;
    for (const model of [{ connectionId: null }, null]) {
      expect(await run(await agentWith(model))).toMatchObject({ success: true });
    }
    expect(peer.received).toHaveLength(before);
  });

  it('fails while its key must be entered again, and is not called', async () => {
    const { id } = await connection(['large']);
    const agent = await agentWith({ connectionId: id });
    await admin.call(changeConnection, {
      params: { id },
      body: { baseUrl: `${peer.baseURL}/moved` },
    });
    const before = peer.received.length;
    const result = await run(agent);
    expect(result).toMatchObject({ success: false });
    expect(peer.received).toHaveLength(before);
  });

  it('is that of the installation once its connection is deleted', async () => {
    const { id } = await connection(['large']);
    const agent = await agentWith({ connectionId: id });
    await admin.call(deleteConnection, { params: { id } });
    const before = peer.received.length;
    expect(await run(agent)).toMatchObject({ success: true });
    expect(peer.received).toHaveLength(before);
  });

  it('is changed, shown, and part of the history', async () => {
    const { id: connectionId } = await connection(['large']);
    const { id } = await agentWith(null);
    const params = { id };
    const model = { connectionId, model: 'large' };
    const changed = await admin.call<Agent>(changeAgent, { params, body: { model } });
    expect(changed.body).toMatchObject({ version: 2, model: { ...model, temperature: null } });
    const read = await admin.call<Agent>(getAgent, { params });
    expect(read.body).toEqual(changed.body);
    await admin.call(changeAgent, { params, body: { model: null } });
    const { body } = await admin.call<HistoryEntry[]>(getAgentHistory, { params });
    expect(body.map(({ changes }) => changes.map(({ field }) => field))).toEqual([
      ['model'],
      ['model'],
      expect.any(Array),
    ]);
  });

  it.each([
    ['model.temperature', { temperature: 3 }],
    ['model.maxOutputTokens', { maxOutputTokens: 0 }],
    ['model.reasoningEffort', { reasoningEffort: 'extreme' }],
  ])('is refused with the name of the wrong field: %s', async (path, wrong) => {
    const body = { ...agentInput, model: { connectionId: null, ...wrong } };
    const refused = await admin.call<Problem>(createAgent, { body });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, path]);
  });

  it('must be of a connection of the organization', async () => {
    const { client: other } = await registerOrganization(product.url);
    const { id: connectionId } = await newConnection(other);
    const model = { connectionId: null, fallback: { connectionId, model: 'large' } };
    const refused = await admin.call<Problem>(createAgent, { body: { ...agentInput, model } });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ path: 'model.fallback.connectionId', message: 'There is no such connection' }],
    ]);
  });
});
