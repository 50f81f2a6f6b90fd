import { type Embedder, openAiEmbedder } from '@tallyhand/agent-runtime/openai/embeddings';
import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { searchPassages } from '@tallyhand/command-service/features/tasks/search-passages';
import {
  type Agent,
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  changeArticle,
  createArticle,
  deleteArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getMeaningSearch,
  type MeaningSearch,
  setMeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  changeConnection,
  deleteConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

/** Texts are close to each other if they have the same subject, in whatever words and language. */
const SUBJECTS = [/kayak|paddle|カヤック|ボート/i, /refund|money back|返金/i, /tent|camp|テント/i];
const vectorOf = (text: string) => [
  -0.1,
  ...SUBJECTS.map((subject) => (subject.test(text) ? 1 : -0.2)),
];

let product: TestProduct;
let peer: Peer;
let pool: pg.Pool;
let admin: ApiClient;
let organizationId = '';
/** The status that the endpoint answers for embeddings. */
let status = 200;

beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response, { path, body }) => {
    if (path !== '/v1/embeddings') {
      const answer = { answer: 'Ten euros.', usedPassages: [1] };
      return sendJson(response, 200, completion(answer));
    }
    if (status !== 200) return sendJson(response, status, { error: {} });
    const { input } = body as unknown as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
    return sendJson(response, 200, { data, usage: { prompt_tokens: 10 * input.length } });
  });
  const { databaseUrl, masterKey } = product.config;
  pool = openPool(roleUrl(databaseUrl, masterKey, 'command'), 2);
});
afterAll(async () => {
  await pool?.end();
  await peer?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  status = 200;
  peer.received.length = 0;
  const { client, user } = await registerOrganization(product.url);
  admin = client;
  organizationId = user.organization.id;
});

/** The texts that the endpoint was asked to embed. */
const embedded = () =>
  peer.received.flatMap(({ path, body }) =>
    path === '/v1/embeddings' ? (body as unknown as { input: string[] }).input : [],
  );

const kayaks = {
  title: 'Rental',
  content: '# Kayaks\n\nA kayak costs ten euros an hour, with its paddle.',
};
const tents = { title: 'Sleeping', content: 'Every tent has room for four people.' };

async function write(text: { title: string; content: string }, by = admin): Promise<Article> {
  const body = { ...text, category: 'General' };
  const written = await by.call<Article>(createArticle, { body });
  expect(written.status).toBe(201);
  return written.body;
}

const connect = (more: object = {}) =>
  newConnection(admin, { baseUrl: peer.baseURL, embeddingModel: 'meaning', ...more });

const choose = (body: object, by = admin) => by.call<Problem>(setMeaningSearch, { body });

async function chosen(more: object = {}) {
  const connection = await connect(more);
  const source = 'connection';
  expect((await choose({ source, connectionId: connection.id })).status).toBe(200);
  return connection;
}

const state = async (by = admin) => (await by.call<MeaningSearch>(getMeaningSearch, {})).body;

const reached = (expected: Partial<Record<keyof MeaningSearch, unknown>>) =>
  vi.waitFor(async () => expect(await state()).toMatchObject(expected));

const embedder = (): Embedder =>
  openAiEmbedder({
    apiKey: 'any',
    baseURL: peer.baseURL,
    model: 'meaning',
    timeoutMs: 60_000,
  });

/** The vectors of the organization, and the space that they are in. */
async function vectors(of = organizationId) {
  const client = new pg.Client({ connectionString: product.config.migrateDatabaseUrl });
  await client.connect();
  const { rows } = await client.query<{ articleId: string; space: string }>(
    `select article_id as "articleId", space from operational.passage_vectors
     where organization_id = $1`,
    [of],
  );
  await client.end();
  return rows;
}

async function find(question: string, articles: readonly string[], within = organizationId) {
  const [one] = await vectors();
  const space = one?.space ?? expect.fail('There are no vectors');
  const found = await searchPassages(pool, {
    organizationId: within,
    articles,
    question,
    meaningOf: async (text) => {
      const [vector] = (await embedder().embed([text])).vectors ?? expect.fail();
      return { space, vector: vector ?? expect.fail() };
    },
  });
  return found.map(({ articleId }) => articleId);
}

describe('search by meaning', () => {
  it('finds the passage of an English article for a Japanese question', async () => {
    const { id: connectionId } = await chosen();
    const articles = [(await write(tents)).id, (await write(kayaks)).id];
    await reached({ model: 'meaning', articles: 2, embedded: 2, failure: null });
    const body = { ...agentInput, model: { connectionId } };
    const agent = await admin.call<Agent>(createAgent, { body });
    const { id } = agent.body;
    const assigned = await admin.call(assignResources, { params: { id }, body: { articles } });
    expect(assigned.status).toBe(200);
    const task = await admin.call<ExecutionResult>(executeTask, {
      params: { id },
      body: { input: 'ボートを一時間借りるといくらですか？' },
    });
    expect(task.body).toMatchObject({ output: 'Ten euros.', success: true });
    const prompt = JSON.stringify(peer.received.at(-1)?.body.messages);
    expect(prompt).toContain('A kayak costs ten euros an hour, with its paddle.');
    expect(prompt.indexOf('A kayak')).toBeLessThan(prompt.indexOf('Every tent'));
    expect(task.body.sources?.[0]).toMatchObject({ articleId: articles[1] });
  });

  it('counts the tokens, and embeds only what has changed', async () => {
    await chosen();
    const content = 'A kayak has a paddle.\n\n# Camp\n\nTents stand in rows.';
    const { id } = await write({ title: 'Rental', content });
    await reached({ embedded: 1, inputTokens: 20, isEstimated: false });
    const body = { content: content.replace('in rows', 'near the lake') };
    expect((await admin.call(changeArticle, { params: { id }, body })).status).toBe(200);
    await reached({ articles: 1, embedded: 1, inputTokens: 30 });
    expect(embedded().at(-1)).toBe('Rental\nCamp\nTents stand near the lake.');
    await vi.waitFor(async () => expect(await vectors()).toHaveLength(2));
  });

  it('embeds everything again with another model, and deletes all vectors without one', async () => {
    const { id } = await chosen();
    await write(kayaks);
    await reached({ embedded: 1, inputTokens: 10 });
    const before = await vectors();
    const body = { embeddingModel: 'other' };
    expect((await admin.call(changeConnection, { params: { id }, body })).status).toBe(200);
    await reached({ model: 'other', embedded: 1, inputTokens: 10 });
    const after = await vectors();
    expect(after.map(({ articleId }) => articleId)).toEqual(before.map((one) => one.articleId));
    expect(after[0]?.space).not.toBe(before[0]?.space);
    expect((await choose({ source: 'off' })).status).toBe(200);
    await reached({ source: 'off', model: null, embedded: 0 });
    expect(await vectors()).toEqual([]);
  });

  it('deletes the vectors of a deleted article', async () => {
    await chosen();
    const [one, other] = [await write(kayaks), await write(tents)];
    await reached({ embedded: 2 });
    const params = { id: one.id };
    expect((await admin.call(deleteArticle, { params })).status).toBeLessThan(300);
    await vi.waitFor(async () =>
      expect((await vectors()).map(({ articleId }) => articleId)).toEqual([other.id]),
    );
    expect(await find('ボート', [one.id, other.id])).toEqual([other.id]);
  });

  it('shows why the model fails, and goes on once the connection is changed', async () => {
    status = 401;
    const { id } = await chosen();
    await write(kayaks);
    await reached({ embedded: 0, failure: expect.objectContaining({ code: 'model-rejected' }) });
    status = 200;
    const body = { apiKey: 'another-key' };
    expect((await admin.call(changeConnection, { params: { id }, body })).status).toBe(200);
    await reached({ embedded: 1, failure: null });
  });

  it('uses words alone after the connection is deleted', async () => {
    const { id } = await chosen();
    await write(kayaks);
    await reached({ embedded: 1 });
    await admin.call(deleteConnection, { params: { id } });
    await reached({ source: 'connection', connectionId: id, model: null, embedded: 0 });
    expect(await vectors()).toEqual([]);
  });

  it('refuses connections without an embedding model, of others, and impossible choices', async () => {
    const source = 'connection';
    const { id: connectionId } = await connect({ embeddingModel: null });
    expect(await choose({ source, connectionId })).toMatchObject({
      status: 409,
      body: { code: 'embedding-model-missing' },
    });
    const { client: stranger } = await registerOrganization(product.url);
    expect((await choose({ source, connectionId }, stranger)).status).toBe(404);
    expect((await choose({ source })).status).toBe(422);
    expect((await choose({ source: 'default', connectionId })).status).toBe(422);
  });

  it('never compares with vectors of another organization', async () => {
    await chosen();
    const { id } = await write(kayaks);
    await reached({ embedded: 1 });
    expect(await find('ボート', [id])).toEqual([id]);
    const { user } = await registerOrganization(product.url);
    expect(await find('ボート', [id], user.organization.id)).toEqual([]);
    expect(await find('ボート', [])).toEqual([]);
    const [{ space } = expect.fail()] = await vectors();
    const asked = [space, '0000', [1, 0, 0, 0], [id], 10];
    const unset = await pool.query(
      'select * from read_model.find_near_passages($1, $2, $3, $4, $5)',
      asked,
    );
    expect(unset.rows).toEqual([]);
    expect((await pool.query('select from operational.passage_vectors')).rows).toEqual([]);
  });
});
