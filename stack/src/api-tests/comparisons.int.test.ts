import {
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { deleteConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type Comparison,
  type ComparisonAccepted,
  type ComparisonSummary,
  compareVariants,
  getComparison,
  listComparisons,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import {
  type ExecutionResult,
  listTasks,
  retryTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import {
  type ApiClient,
  agentInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

/** Models called `dear-*` cost 40 credits in the shared product. */
let product: TestProduct;
let peer: Peer;
let shop: HttpServer;
const shopCalls: string[] = [];
let isDown = false;

beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response, { body }) => {
    const { model, tools = [], messages } = body;
    if (model === 'down' && isDown) return sendJson(response, 400, { error: { message: 'No.' } });
    if (tools.length === 0 || messages.some(({ role }) => role === 'tool')) {
      return sendJson(response, 200, completion({ answer: `${model} answers.` }));
    }
    // Calls each tool that it may call, and one that it may not.
    const names = tools.map((tool) => tool.function.name);
    const request = names.find((name) => name.includes('request')) ?? '';
    return sendJson(
      response,
      200,
      calling(
        [request, { method: 'POST', path: '/orders' }],
        [request, { method: 'GET', path: '/orders/7' }],
        ['createOrder', {}],
      ),
    );
  });
  shop = await httpServer(({ method, url }, response) => {
    shopCalls.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json').end('{"state":"sent"}');
  });
});
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]();
  await shop?.[Symbol.asyncDispose]();
});

/** An Admin with 100 credits, a connection, and an agent with two versions. */
async function organization() {
  const { client } = await registerOrganization(product.url);
  const models = ['plain', 'dear-1', 'dear-2', 'down'];
  const { id: connectionId } = await newConnection(client, { baseUrl: peer.baseURL, models });
  const { body } = await client.call<Agent>(createAgent, {
    body: { ...agentInput, model: { connectionId, temperature: 0.5 } },
  });
  const personaConfig = { ...body.personaConfig, personality: 'Sings every answer aloud' };
  await client.call(changeAgent, { params: { id: body.id }, body: { personaConfig } });
  return { client, connectionId, agentId: body.id };
}

const compare = (client: ApiClient, id: string, variants: unknown, headers = {}) =>
  client.call<ComparisonAccepted & Problem>(compareVariants, {
    params: { id },
    body: { input: 'Is it open?', variants },
    headers,
  });

const read = async (client: ApiClient, id: string) =>
  (await client.call<Comparison>(getComparison, { params: { id } })).body;

/** The comparison once all of its tasks have ended and are settled. */
async function ended(client: ApiClient, id: string): Promise<Comparison> {
  const isOpen = async () =>
    (await read(client, id)).tasks.some(
      ({ status, charge }) =>
        !['success', 'failed'].includes(status) || (status === 'success' && !charge),
    );
  await expect.poll(isOpen).toBe(false);
  return read(client, id);
}

const balance = async (client: ApiClient) =>
  (await client.call<{ creditBalance: number }>(getOrganization)).body.creditBalance;
const list = async (client: ApiClient, id: string) =>
  (await client.call<ComparisonSummary[]>(listComparisons, { params: { id } })).body;

describe('a comparison', () => {
  it('runs one instruction on four versions and models, and charges each', async () => {
    const { client, connectionId, agentId } = await organization();
    const { status, body, headers } = await compare(client, agentId, [
      { version: 1 },
      {},
      { model: { connectionId, model: 'dear-1' } },
      { model: { connectionId: null } },
    ]);
    expect([status, headers.get('location')]).toEqual([
      202,
      `/api/comparisons/${body.comparisonId}`,
    ]);
    const { tasks, ...started } = await ended(client, body.comparisonId);
    expect(started).toMatchObject({ id: body.comparisonId, agentId, input: 'Is it open?' });
    expect(tasks.map(({ id }) => id)).toEqual(body.tasks);
    const plain = { connectionId, model: 'plain' };
    const comparison = { comparisonId: body.comparisonId };
    expect(tasks).toMatchObject([
      { comparison: { ...comparison, ordinal: 1, agentVersion: 1, model: plain }, creditCost: 1 },
      { comparison: { ...comparison, ordinal: 2, agentVersion: 2, model: plain }, creditCost: 1 },
      {
        comparison: { ordinal: 3, agentVersion: 2, model: { connectionId, model: 'dear-1' } },
        output: 'dear-1 answers.',
        creditCost: 40,
        charge: { amount: 40 },
      },
      { comparison: { ordinal: 4, model: { connectionId: null } }, usage: [], creditCost: 1 },
    ]);
    expect(await balance(client)).toBe(57);
    const sings = ({ messages }: Peer['received'][number]['body']) =>
      messages.some(({ content }) => content.includes('Sings every answer aloud'));
    const own = peer.received.filter(({ body }) => body.model === 'plain').slice(-2);
    expect(own.map((one) => sings(one.body)).toSorted()).toEqual([false, true]);
    expect(own).toMatchObject([{ body: { temperature: 0.5 } }, { body: { temperature: 0.5 } }]);
    expect(await list(client, agentId)).toMatchObject([
      {
        id: body.comparisonId,
        input: 'Is it open?',
        variants: tasks.map(({ id: taskId, comparison }) => ({
          taskId,
          status: 'success',
          agentVersion: comparison?.agentVersion,
          model: comparison?.model,
        })),
      },
    ]);
  });

  it('reserves all credits or none', async () => {
    const { client, connectionId, agentId } = await organization();
    const dear = { connectionId, model: 'dear-1' };
    const refused = await compare(client, agentId, [
      { version: 1, model: dear },
      { model: dear },
      { model: { connectionId, model: 'dear-2' } },
    ]);
    expect([refused.status, refused.body.code, refused.body.params]).toEqual([
      402,
      'insufficient-credits',
      { available: 100, requested: 120 },
    ]);
    const { body: entries } = await client.call<LedgerEntry[]>(listLedgerEntries);
    expect(entries.map(({ kind }) => kind)).toEqual(['granted']);
    expect((await client.call<unknown[]>(listTasks)).body).toEqual([]);
    expect(await list(client, agentId)).toEqual([]);
  });

  it('happens once, however often it is requested with one key', async () => {
    const { client, agentId } = await organization();
    const headers = { 'idempotency-key': newId() };
    const variants = [{ version: 1 }, { version: 2 }];
    const [first, second] = await Promise.all([
      compare(client, agentId, variants, headers),
      compare(client, agentId, variants, headers),
    ]);
    expect(second.body).toEqual(first.body);
    await ended(client, first.body.comparisonId);
    expect(await balance(client)).toBe(98);
    expect(await list(client, agentId)).toHaveLength(1);
  });

  it('costs nothing where it fails, and a retry takes the place of what failed', async () => {
    const { client, connectionId, agentId } = await organization();
    isDown = true;
    const { body } = await compare(client, agentId, [
      { version: 1, model: { connectionId, model: 'down' } },
      { model: { connectionId, model: 'plain' } },
    ]);
    const [failed, ...others] = (await ended(client, body.comparisonId)).tasks;
    expect(failed).toMatchObject({ status: 'failed', creditCost: 0, charge: null });
    await expect.poll(() => balance(client)).toBe(99);
    isDown = false;
    const params = { id: failed?.id ?? '' };
    const retried = await client.call<ExecutionResult>(retryTask, { params });
    expect(retried.body).toMatchObject({ success: true, output: 'down answers.' });
    const { tasks } = await ended(client, body.comparisonId);
    expect(tasks).toMatchObject([
      { id: retried.body.taskId, retryOf: failed?.id, comparison: failed?.comparison },
      { id: others[0]?.id },
    ]);
    expect(await list(client, agentId)).toMatchObject([{ variants: [{ status: 'success' }, {}] }]);
  });

  it('lets the agent use only tools that read', async () => {
    const { client, connectionId, agentId } = await organization();
    const openapi = JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1' },
      paths: {
        '/orders': { get: { operationId: 'listOrders' }, post: { operationId: 'createOrder' } },
      },
    });
    const api = { baseUrl: shop.origin, authType: 'none' };
    const script = { baseUrl: '', authType: 'none', extras: { script: 'return 1;' } };
    const plainTool = { ...toolInput, authCredentials: {} };
    const tools: string[] = [];
    for (const body of [
      { ...plainTool, name: 'Anything', config: api },
      { ...plainTool, name: 'Orders', config: { ...api, openapi } },
      { ...plainTool, name: 'Adder', type: 'custom', config: script },
    ]) {
      const made = await client.call<Tool & Problem>(createTool, { body });
      expect([made.status, made.body.detail]).toEqual([201, undefined]);
      tools.push(made.body.id);
    }
    await client.call(changeAgent, { params: { id: agentId }, body: { tools } });
    const seen = peer.received.length;
    const { body } = await compare(client, agentId, [
      { model: { connectionId, model: 'plain' } },
      { version: 1 },
    ]);
    const { tasks } = await ended(client, body.comparisonId);
    expect(tasks).toMatchObject([{ status: 'success' }, { status: 'success' }]);
    const offered = peer.received.slice(seen).flatMap(({ body }) => body.tools ?? []);
    const texts = JSON.stringify(offered);
    expect(texts).toContain('listOrders');
    expect(texts).not.toContain('createOrder');
    expect(texts).not.toContain('POST');
    expect(texts).not.toContain('Runs the script');
    expect(shopCalls).toEqual(['GET /orders/7', 'GET /orders/7']);
    for (const { toolCalls } of tasks) {
      expect(toolCalls.filter(({ success }) => success)).toMatchObject([
        { toolName: 'Anything', input: expect.stringContaining('GET') },
      ]);
    }
  });

  it('is refused for versions and models that the agent can not answer with', async () => {
    const [own, other] = [await organization(), await organization()];
    const { client, agentId, connectionId } = own;
    const gone = await newConnection(client, { baseUrl: peer.baseURL, models: ['plain'] });
    const { body: bound } = await client.call<Agent>(createAgent, {
      body: { ...agentInput, model: { connectionId: gone.id } },
    });
    await client.call(deleteConnection, { params: { id: gone.id } });
    const builtIn = { model: { connectionId: null } };
    const plain = { model: { connectionId, model: 'plain' } };
    const with_ = (model: object) => [builtIn, { model }];
    const paths = async (id: string, variants: unknown) => {
      const { status, body } = await compare(client, id, variants);
      return [status, ...(body.errors ?? []).map(({ path }) => path)];
    };
    const foreign = { connectionId: other.connectionId, model: 'plain' };
    expect(await paths(agentId, with_(foreign))).toEqual([422, 'variants.1.model.connectionId']);
    const deleted = { connectionId: gone.id };
    expect(await paths(agentId, with_(deleted))).toEqual([422, 'variants.1.model.connectionId']);
    const unlisted = { connectionId, model: 'o9-max' };
    expect(await paths(agentId, with_(unlisted))).toEqual([422, 'variants.1.model.model']);
    expect(await paths(bound.id, [builtIn, {}])).toEqual([422, 'variants.1']);
    expect(await paths(agentId, [{}, { version: 3 }])).toEqual([422, 'variants.1.version']);
    // The model of the version is the first of its connection.
    expect(await paths(agentId, [{}, plain])).toEqual([422, 'variants.1']);
    expect(await paths(agentId, [{}])).toEqual([422, 'variants']);
    expect(await paths(agentId, Array(5).fill({}))).toEqual([422, 'variants']);
    expect((await compare(client, other.agentId, [{}, builtIn])).status).toBe(404);
    await client.call(changeAgent, { params: { id: agentId }, body: { isActive: false } });
    const paused = await compare(client, agentId, [{}, builtIn]);
    expect([paused.status, paused.body.code]).toEqual([409, 'agent-paused']);
    expect(await balance(client)).toBe(100);
  });

  it('is not shown to another organization', async () => {
    const [own, other] = [await organization(), await organization()];
    const { body } = await compare(own.client, own.agentId, [{ version: 1 }, {}]);
    const params = { id: body.comparisonId };
    expect((await other.client.call(getComparison, { params })).status).toBe(404);
    const ofAgent = { params: { id: own.agentId } };
    expect((await other.client.call(listComparisons, ofAgent)).status).toBe(404);
  });
});
