import type { ServerResponse } from 'node:http';
import {
  type Answering,
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  getConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  listTasks,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  createTool,
  deleteTool,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useModel } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const token = 'a-secret-token-of-the-test';

const openapi = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders/{orderId}': {
      get: {
        operationId: 'getOrder',
        summary: 'Tells the state of an order',
        parameters: [{ name: 'orderId', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
});

const answers: Record<string, (response: ServerResponse, authorization: string) => void> = {
  '/api/orders/7': (response) => response.end('{"order":7,"state":"sent"}'),
  '/api/orders/8': (response, authorization) => response.end(JSON.stringify({ authorization })),
  '/api/orders/9': (response) => response.writeHead(500).end('<h1>Oh no</h1>'),
  '/api/orders/11': (response) => response.end('{"order":11,"state":"a\\u0000b\\ud800c"}'),
  '/api/orders/10': (response) =>
    response.writeHead(302, { location: 'http://127.0.0.2:1/secret' }).end(),
};

let shop: HttpServer;
let address = '';
let seen: string[] = [];
let peer: Peer;
let answering: Answering = (response) => sendJson(response, 500, {});
let product: TestProduct;
let client: ApiClient;
let [agentId, articleId] = ['', ''];

beforeAll(async () => {
  shop = await httpServer(({ url = '', headers }, response) => {
    seen.push(url);
    response.setHeader('content-type', 'application/json');
    const answer = answers[url] ?? ((one: ServerResponse) => one.writeHead(404).end('{}'));
    answer(response, headers.authorization ?? '');
  });
  address = `${shop.origin}/api`;
  peer = await openAiPeer((...call) => answering(...call));
  product = await sharedProduct();
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

async function begin() {
  ({ client } = await registerOrganization(product.url));
  const made = await agentWithArticle(client);
  [agentId, articleId] = [made.agent.id, made.article.id];
}

async function tool(config: object = {}, rest: object = {}): Promise<string> {
  const own = { baseUrl: address, authType: 'bearer', openapi, ...config };
  const body = { ...toolInput, config: own, authCredentials: { token }, ...rest };
  return (await client.call<Tool>(createTool, { body })).body.id;
}

const script = (text: string, name = 'Adder') =>
  tool(
    { baseUrl: '', authType: 'none', extras: { script: text }, openapi: undefined },
    { type: 'custom', name, description: 'Adds two numbers up', authCredentials: {} },
  );

const assign = (tools: readonly string[], playbooks: readonly string[] = []) =>
  client.call(assignResources, {
    params: { id: agentId },
    body: { articles: [articleId], tools, playbooks },
  });
const run = (input: string, body: object = {}) =>
  client.call<ExecutionResult & Problem>(executeTask, {
    params: { id: agentId },
    body: { input, type: 'tool_run', ...body },
  });
const detail = async (id: string) =>
  (await client.call<TaskDetail>(getTask, { params: { id } })).body;
const ledger = async () => (await client.call<LedgerEntry[]>(listLedgerEntries)).body;
/** Those of one task, oldest first. */
const ledgerKinds = async (taskId: string) =>
  (await ledger()).flatMap((one) => (one.reservationId === taskId ? one.kind : [])).toReversed();

beforeEach(() => {
  seen = [];
});

describe('a run of a tool, by the built-in engine', () => {
  let orders: string;
  beforeAll(async () => {
    await begin();
    orders = await tool();
  });

  it('calls it with arguments from the request, for one credit, and keeps the call', async () => {
    await assign([orders]);
    const { body } = await run('Where is order 7?');
    expect(body).toMatchObject({ success: true, creditCost: 1 });
    expect(body.output).toContain('state: sent');
    expect(seen).toEqual(['/api/orders/7']);
    const task = await detail(body.taskId);
    expect(task).toMatchObject({ type: 'tool_run', model: 'built-in engine' });
    expect(task.toolCalls).toMatchObject([
      { ordinal: 1, toolId: orders, toolName: 'Orders', step: null, success: true },
    ]);
    expect(task.toolCalls[0]).toMatchObject({
      input: 'getOrder {"orderId":"7"}',
      output: '{"order":7,"state":"sent"}',
    });
    expect(await ledgerKinds(body.taskId)).toEqual(['reserved', 'charged']);
  });

  it('keeps its answer with all its characters', async () => {
    await assign([orders]);
    const { body } = await run('Where is order 11?');
    expect(body.success).toBe(true);
    const task = await detail(body.taskId);
    expect(task).toMatchObject({ status: 'success', output: body.output });
    expect(task.output).toContain('a\ufffdb\ufffdc');
    const text = `throw new Error("${'😀'.repeat(400)}")`;
    for (const shift of ['', 'x']) {
      await assign([await script(text.replace('"', `"${shift}`), `Adder ${shift}`)]);
      const failed = await run('Adds two numbers up: 1 and 2');
      expect(await detail(failed.body.taskId)).toMatchObject({ status: 'failed' });
    }
  });

  it('runs scripts with values from the request', async () => {
    await assign([await script('return input.a + input.b;')]);
    const { body } = await run('Add these: {"a": 19, "b": 23}');
    expect(body).toMatchObject({ success: true });
    expect(body.output).toContain('42');
  });

  it('never shows a secret that a tool sends back', async () => {
    await assign([orders]);
    const { body } = await run('Where is order 8?');
    const shown = JSON.stringify([body, await detail(body.taskId)]);
    expect(shown).toContain('authorization');
    expect(shown).not.toContain(token);
  });

  it.each([
    ['9', 'status 500'],
    ['10', 'not allowed'],
    ['404', 'status 404'],
  ])('that fails costs nothing, and reports why: order %s', async (order, why) => {
    await assign([orders]);
    const { body } = await run(`Where is order ${order}?`);
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    expect(body.error).toContain(why);
    const task = await detail(body.taskId);
    expect(task.toolCalls).toMatchObject([{ success: false }]);
    // A synchronous answer has the code that the task keeps.
    const { errorCode, errorParams } = body;
    expect(errorCode).toBeTruthy();
    expect({ errorCode, errorParams }).toEqual({
      errorCode: task.errorCode,
      errorParams: task.errorParams,
    });
    expect(await ledgerKinds(body.taskId)).toEqual(['reserved', 'released']);
  });

  it.each([
    // One that computes for ever is ended just so, as the sandbox's own tests show in less time.
    ['waits for ever', 'await sleep(1e9);', /longer than/],
    ['eats memory', 'const all = []; for (;;) all.push("x".repeat(1e6));', /memory/i],
    ['throws', 'throw new Error("no such city")', /no such city/],
  ])('of a script that %s ends with a clear message', async (_, text, why) => {
    await assign([await script(text)]);
    const { body } = await run('Add 1 and 2');
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    expect(body.error).toMatch(why);
  });

  it('reports missing arguments, and makes no call', async () => {
    await assign([orders]);
    const { body } = await run('Where is my order?');
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    expect(body.error).toContain('orderId');
    expect(seen).toEqual([]);
  });

  it('uses the named tool, or otherwise the best match', async () => {
    const adder = await script('return "added";');
    await assign([orders, adder]);
    const chosen = await run('Adds two numbers up: 1 and 2');
    expect((await detail(chosen.body.taskId)).toolCalls).toMatchObject([{ toolId: adder }]);
    const named = await run('Adds two numbers up to order 7', { toolId: orders });
    expect((await detail(named.body.taskId)).toolCalls).toMatchObject([{ toolId: orders }]);
  });

  it('is refused without a tool that a task can run, and reserves nothing', async () => {
    await assign([]);
    const before = [(await client.call(listTasks)).body, await ledger()];
    expect((await run('Where is order 7?')).body).toMatchObject({
      status: 409,
      code: 'no-tool-assigned',
    });
    const gone = await tool();
    await assign([gone]);
    await client.call(deleteTool, { params: { id: gone } });
    expect((await run('Where is order 7?')).body).toMatchObject({
      status: 409,
      code: 'no-tool-assigned',
    });
    expect([(await client.call(listTasks)).body, await ledger()]).toEqual(before);
  });

  it('is refused for a tool that the agent does not have, which is named', async () => {
    await assign([orders]);
    for (const body of [
      { toolId: await tool() },
      { toolId: crypto.randomUUID() },
      { toolId: orders, type: 'query' },
      { toolId: 7 },
    ]) {
      const answer = await run('Where is order 7?', body);
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'toolId']);
    }
  });
});

describe('tools in other tasks, by the built-in engine', () => {
  let orders: string;
  beforeAll(async () => {
    await begin();
    orders = await tool();
    await assign([orders]);
  });

  it('are called by a question that names them, and not by one that the articles answer', async () => {
    const named = await run('Orders: where is order 7?', { type: 'query' });
    expect(named.body.output).toContain('state: sent');
    const asked = await run('Within how many days can items be returned?', { type: 'query' });
    expect(asked.body.output).toContain('30 days');
    expect(seen).toEqual(['/api/orders/7']);
  });

  it('are called in chats, which stay free', async () => {
    const before = await ledger();
    const { body } = await client.call<ChatReply>(chatWithAgent, {
      params: { id: agentId },
      body: { message: 'Orders: where is order 7?' },
    });
    expect(body.response).toContain('state: sent');
    expect(body.toolCalls).toMatchObject([
      { ordinal: 1, toolName: 'Orders', step: null, success: true },
    ]);
    expect(body.toolCalls[0]?.output).toContain('"state":"sent"');
    const params = { id: body.conversationId };
    const kept = await client.call<ConversationDetail>(getConversation, { params });
    expect(kept.body.messages.at(-1)?.toolCalls).toEqual(body.toolCalls);
    expect(await ledger()).toEqual(before);
  });

  it('are called in steps of playbooks, with values from the request', async () => {
    const steps = ['Look up the state of the order', 'Within how many days can items be returned?'];
    const { body: made } = await client.call<Playbook>(createPlaybook, {
      body: { ...playbookInput, steps },
    });
    await assign([orders], [made.id]);
    const { body } = await run('Anna wants to return order 7', { type: 'playbook' });
    expect(body).toMatchObject({ success: true, creditCost: 1 });
    const task = await detail(body.taskId);
    expect(task.steps.map(({ output }) => output)).toEqual([
      expect.stringContaining('state: sent'),
      expect.stringContaining('30 days'),
    ]);
    expect(task.toolCalls).toMatchObject([{ step: 1, success: true }]);
  });
});

describe('a model that runs tools', () => {
  let orders: string;
  beforeAll(async () => {
    await begin();
    await useModel(client, agentId, peer.baseURL);
    orders = await tool();
    await assign([orders]);
  });
  const said = completion({
    answer: 'Order 7 was sent.',
    usedPassages: [],
    reasoning: 'Looked up.',
  });

  it('receives its answers, but no secret, and its calls are recorded', async () => {
    const from = peer.received.length;
    answering = (response, { body }) =>
      sendJson(
        response,
        200,
        body.messages.length > 2 ? said : calling(['Orders_getOrder', { orderId: '8' }]),
      );
    const { body } = await run('Where is order 8?');
    expect(body).toMatchObject({
      success: true,
      output: 'Order 7 was sent.',
      reasoning: 'Looked up.',
    });
    const sent = JSON.stringify(peer.received.slice(from));
    expect(sent).toContain('authorization');
    expect(sent).not.toContain(token);
    expect((await detail(body.taskId)).toolCalls).toMatchObject([
      { toolId: orders, success: true },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['calls on and on', calling(['Orders_getOrder', { orderId: '7' }]), /step limit/],
    ['calls what there is not', calling(['rm_rf', { orderId: '7' }]), /step limit/],
    ['calls none', completion({ answer: 'Done!' }), /didn't use the tool/],
    ['answers garbage', completion('{"answer": '), /didn't use the tool/],
    ['calls one that fails', calling(['Orders_getOrder', { orderId: '9' }]), /step limit/],
  ])('and %s has failed, for nothing', async (_, always, why) => {
    answering = (response) => sendJson(response, 200, always);
    const { body } = await run('Where is order 7?');
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    expect(body.error).toMatch(why);
    expect(seen.length).toBeLessThanOrEqual(20);
    expect(await ledgerKinds(body.taskId)).toEqual(['reserved', 'released']);
  });

  it('that reports success after its tool failed has failed', async () => {
    answering = (response, { body }) =>
      sendJson(
        response,
        200,
        body.messages.length > 2 ? said : calling(['Orders_getOrder', { orderId: '9' }]),
      );
    const { body } = await run('Where is order 9?');
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    expect(body.error).toContain('status 500');
  });
});
