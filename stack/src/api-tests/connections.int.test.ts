import type { IncomingMessage } from 'node:http';
import {
  calling,
  completion,
  openAiPeer,
  type Peer,
  StreamedCompletion,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  type Connection,
  type ConnectionTest,
  changeConnection,
  createConnection,
  deleteConnection,
  discoverModels,
  type EndpointModels,
  getConnection,
  getConnectionHistory,
  listConnections,
  listEndpointModels,
  restoreConnection,
  testConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { httpServer } from '@tallyhand/test-kit/http-server';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const apiKey = 'sk-canary-0123456789';
/** The model that the endpoint does not have. */
const UNKNOWN = 'unknown-model';

let product: TestProduct;
let admin: ApiClient;
let peer: Peer;
beforeAll(async () => {
  product = await sharedProduct();
  ({ client: admin } = await registerOrganization(product.url));
  peer = await openAiPeer((response, { authorization, body, path }) => {
    if (authorization !== `Bearer ${apiKey}`) return sendJson(response, 401, { error: {} });
    if (path === '/v1/embeddings') return sendJson(response, 404, { error: {} });
    if (body.model === UNKNOWN) return sendJson(response, 404, { error: {} });
    if (body.stream) return new StreamedCompletion(response).say('OK').end();
    if (JSON.stringify(body).includes('image_url')) return sendJson(response, 400, { error: {} });
    return sendJson(response, 200, body.tools ? calling(['say_ok', {}]) : completion('OK'));
  });
});
afterAll(() => peer?.[Symbol.asyncDispose]());

const input = (more: object = {}) => ({
  name: 'Hosted models',
  provider: 'other',
  baseUrl: peer.baseURL,
  models: ['peer-large', 'peer-small'],
  apiKey,
  ...more,
});

async function connect(more: object = {}, client = admin): Promise<Connection> {
  const { status, body } = await client.call<Connection & Problem>(createConnection, {
    body: input(more),
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}

const change = async (id: string, body: object) =>
  (await admin.call<Connection>(changeConnection, { params: { id }, body })).body;

const test = async (id: string, body: object = {}) =>
  (await admin.call<ConnectionTest>(testConnection, { params: { id }, body })).body;

describe('a connection to models', () => {
  it('is created without returning its key, and read as it is', async () => {
    const made = await connect();
    expect(made).toMatchObject({ apiKey: 'stored', version: 1, embeddingModel: null });
    const read = await admin.call<Connection>(getConnection, { params: { id: made.id } });
    expect(read.body).toEqual(made);
    const listed = await admin.call<Connection[]>(listConnections, {
      query: { provider: 'other', q: 'hosted' },
    });
    expect(listed.body).toContainEqual(made);
    expect(JSON.stringify([made, listed.body])).not.toContain(apiKey);
  });

  it('stores its key only encrypted', async () => {
    const { id } = await connect();
    const database = new pg.Client({ connectionString: product.config.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      'select sealed from operational.connection_keys where connection_id = $1',
      [id],
    );
    await database.end();
    expect(rows).toHaveLength(1);
    expect(rows[0].sealed.includes(apiKey)).toBe(false);
  });

  it('sends its key to no other address than that which it was entered for', async () => {
    await using attacker = await notingServer();
    const { id } = await connect();
    const moved = await change(id, { baseUrl: attacker.url });
    expect(moved.apiKey).toBe('required');
    expect(await test(id)).toMatchObject({
      works: false,
      failure: { code: 'model-rejected', params: { reason: 'key-missing' } },
    });
    expect(attacker.received).toEqual([]);
    const back = await change(id, { baseUrl: peer.baseURL });
    expect(back.apiKey).toBe('stored');
  });

  it('follows no redirect, which would carry the key to another host', async () => {
    await using attacker = await notingServer();
    await using turning = await notingServer((response) =>
      response.writeHead(307, { location: `${attacker.url}/chat/completions` }).end(),
    );
    const { id } = await connect({ baseUrl: turning.url });
    expect(await test(id)).toMatchObject({ works: false });
    expect(turning.received).not.toEqual([]);
    expect(attacker.received).toEqual([]);
  });

  it('replaces and deletes its key, and keeps it when an older version is restored', async () => {
    const { id } = await connect();
    const other = await change(id, { apiKey: 'another-key', name: 'Renamed' });
    expect(other).toMatchObject({ apiKey: 'stored', version: 2 });
    expect(await test(id)).toMatchObject({ failure: { params: { reason: 'key' } } });
    const restored = await admin.call<Connection>(restoreConnection, {
      params: { id },
      body: { version: 1 },
    });
    expect(restored.body).toMatchObject({ name: 'Hosted models', apiKey: 'stored' });
    expect(await test(id)).toMatchObject({ failure: { params: { reason: 'key' } } });
    expect(await change(id, { apiKey: null })).toMatchObject({ apiKey: 'none' });
  });

  it('is deleted, restored, and has a history', async () => {
    const { id } = await connect();
    const params = { id };
    expect((await admin.call(deleteConnection, { params })).status).toBe(204);
    expect((await admin.call(getConnection, { params })).status).toBe(404);
    const restored = await admin.call<Connection>(restoreConnection, { params, body: {} });
    expect(restored.body).toMatchObject({ id, apiKey: 'stored' });
    const history = await admin.call<HistoryEntry[]>(getConnectionHistory, { params });
    expect(history.body.map(({ kind }) => kind)).toEqual(['restored', 'deleted', 'created']);
    expect(JSON.stringify(history.body)).not.toContain(apiKey);
  });

  it.each([
    ['baseUrl', { baseUrl: 'ftp://models.example.com' }, 'Please enter a valid URL'],
    ['baseUrl', { baseUrl: 'https://name:word@models.example.com/v1' }, 'Please enter a valid URL'],
    ['models', { models: [] }, 'At least one model is required'],
    ['provider', { provider: 'nobody' }, 'provider must be one of openai'],
    ['apiKey', { apiKey: 'two words' }, 'The API key can only have visible ASCII characters'],
    ['name', { name: 'x' }, 'Name must be at least 2 characters'],
  ])('is refused with the name of the wrong field: %s', async (path, wrong, message) => {
    const { status, body } = await admin.call<Problem>(createConnection, { body: input(wrong) });
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it('is not found by another organization', async () => {
    const { id } = await connect();
    const { client: other } = await registerOrganization(product.url);
    for (const call of [getConnection, testConnection, discoverModels, deleteConnection]) {
      const body = call === testConnection ? { body: {} } : {};
      expect((await other.call(call, { params: { id }, ...body })).status).toBe(404);
    }
  });
});

describe('the test of a connection', () => {
  it('makes real calls and reports what the endpoint can do', async () => {
    const { id } = await connect({ embeddingModel: 'peer-embedding' });
    expect(await test(id)).toEqual({
      works: true,
      model: 'peer-large',
      latencyMs: expect.any(Number),
      abilities: {
        streaming: true,
        tools: true,
        jsonSchema: true,
        images: false,
        embeddings: false,
      },
      failure: null,
    });
  });

  it('names what fails', async () => {
    const { id } = await connect();
    expect(await test(id, { model: UNKNOWN })).toMatchObject({
      works: false,
      model: UNKNOWN,
      failure: { params: { reason: 'unknown' } },
      abilities: { tools: null },
    });
  });

  it('does not reach private addresses that the operator has not allowed', async () => {
    const { id } = await connect({ baseUrl: 'http://10.0.0.7:11434/v1' });
    expect(await test(id)).toMatchObject({
      works: false,
      failure: { code: 'model-unavailable', params: { reason: 'address' } },
    });
  });

  it('sends the key of Azure in its own header', async () => {
    await using azure = await notingServer();
    const { id } = await connect({ provider: 'azure', baseUrl: `${azure.url}/openai/v1` });
    await test(id);
    expect(azure.received[0]).toMatchObject({
      url: '/openai/v1/chat/completions',
      headers: { 'api-key': apiKey },
    });
    expect(azure.received[0]?.headers.authorization).toBeUndefined();
  });
});

describe('the models of an endpoint', () => {
  const listed = (body: object, client = admin) =>
    client.call<EndpointModels & Problem>(listEndpointModels, { body });

  it('are listed before it is connected, with a key that is not stored', async () => {
    await using server = await notingServer((response) =>
      sendJson(response, 200, { object: 'list', data: [{ id: 'b' }, { id: 'a' }] }),
    );
    const { client } = await registerOrganization(product.url);
    const { status, body } = await listed(
      { provider: 'azure', baseUrl: server.url, apiKey },
      client,
    );
    expect([status, body]).toEqual([200, { models: ['a', 'b'], failure: null }]);
    expect(server.received).toMatchObject([{ url: '/models', headers: { 'api-key': apiKey } }]);
    expect((await client.call(listConnections)).body).toEqual([]);
  });

  it('are asked for without a key, through the guard, and without redirects', async () => {
    await using attacker = await notingServer();
    await using turning = await notingServer((response) =>
      response.writeHead(307, { location: `${attacker.url}/models` }).end(),
    );
    const turned = await listed({ provider: 'other', baseUrl: turning.url, apiKey });
    expect(turned.body).toMatchObject({ models: [], failure: { text: expect.any(String) } });
    expect([turning.received.length, attacker.received]).toEqual([1, []]);
    const inside = await listed({ provider: 'ollama', baseUrl: 'http://10.0.0.7:11434/v1' });
    expect(inside.body.failure).toMatchObject({ params: { reason: 'address' } });
    const keyless = await listed({ provider: 'other', baseUrl: peer.baseURL });
    expect(keyless.body.failure).toMatchObject({ params: { reason: 'key' } });
    const wrong = await listed({ provider: 'other', baseUrl: 'nowhere' });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([422, 'baseUrl']);
  });

  it('are listed in order, each once', async () => {
    await using server = await notingServer((response) =>
      sendJson(response, 200, {
        object: 'list',
        data: [{ id: 'models/b' }, { id: 'a' }, { id: 'b' }].map((one) => ({
          ...one,
          object: 'model',
        })),
      }),
    );
    const { id } = await connect({ baseUrl: server.url });
    const { body } = await admin.call(discoverModels, { params: { id } });
    expect(body).toEqual({ models: ['a', 'b'], failure: null });
    expect(server.received.map(({ url }) => url)).toEqual(['/models']);
  });

  it('are none with the reason, where the endpoint has no list', async () => {
    await using server = await notingServer();
    const { id } = await connect({ baseUrl: server.url });
    const { body } = await admin.call(discoverModels, { params: { id } });
    expect(body).toMatchObject({ models: [], failure: { params: { reason: 'unknown' } } });
  });
});

type Noted = Pick<IncomingMessage, 'url' | 'headers'>;

/** A server that notes its requests, and answers 404 by default. */
async function notingServer(
  answer: (response: import('node:http').ServerResponse) => unknown = (response) =>
    response.writeHead(404).end(),
) {
  const received: Noted[] = [];
  const server = await httpServer(({ url, headers }, response) => {
    received.push({ url, headers });
    answer(response);
  });
  return { ...server, url: server.origin, received };
}
