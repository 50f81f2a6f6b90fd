import {
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type ChatBudget,
  getChatBudget,
  setChatBudget,
} from '@tallyhand/contracts/features/chat/chat-budget.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { setMeaningSearch } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  getModelUsage,
  type ModelUsageRow,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { itIf } from '@tallyhand/test-kit/needs';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { newKey } from '../testing/members.ts';
import { isManyProcesses, sharedProduct, type TestProduct } from '../testing/product.ts';

/* The `openai` package, used as its documentation shows, against an embedding model. */

type Asked = { readonly input: string[]; readonly dimensions?: number; readonly model: string };

const MODEL = 'meaning';
let product: TestProduct;
let peer: Peer;
let admin: ApiClient;
let openai: OpenAI;
/** The status that the endpoint answers, by the number of its requests. */
let statusOf: (request: number) => number;
let ignoresDimensions: boolean;
/** The endpoint answers after it. */
let held: Promise<void> | undefined;

beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer(async (response, { body }) => {
    const { input, dimensions } = body as unknown as Asked;
    const status = statusOf(peer.received.length);
    await held;
    if (status !== 200) return sendJson(response, status, { error: { message: 'No.' } });
    const length = ignoresDimensions ? 3 : (dimensions ?? 3);
    const data = input.map((text, index) => ({
      index,
      embedding: Array.from({ length }, (_, at) => (at === 0 ? text.length : 1)),
    }));
    return sendJson(response, 200, { data, usage: { prompt_tokens: 10 * input.length } });
  });
});
afterAll(() => peer?.[Symbol.asyncDispose]());
beforeEach(async () => {
  statusOf = () => 200;
  ignoresDimensions = false;
  held = undefined;
  openai = await newOrganization();
  peer.received.length = 0;
});

/** With the embedding model; returns a client of an Agent Manager. */
async function newOrganization() {
  ({ client: admin } = await registerOrganization(product.url));
  const prices = [{ model: MODEL, input: 2, cachedInput: null, output: 0 }];
  const body = { baseUrl: peer.baseURL, embeddingModel: MODEL, prices };
  await choose((await newConnection(admin, body)).id);
  return clientOf('AgentManager');
}

async function choose(connectionId: string | null) {
  const body = connectionId ? { source: 'connection', connectionId } : { source: 'off' };
  expect((await admin.call(setMeaningSearch, { body })).status).toBe(200);
}

async function clientOf(role: 'AgentManager' | 'Viewer') {
  const { key } = await newKey(admin, role);
  return new OpenAI({ apiKey: key, baseURL: `${product.url}/v1`, maxRetries: 0 });
}

const asked = () => peer.received.map(({ body }) => body as unknown as Asked);

async function refused(call: Promise<unknown>): Promise<APIError> {
  const error = await call.catch((one: unknown) => one);
  if (!(error instanceof APIError)) throw new Error('The call was not refused', { cause: error });
  return error;
}

async function usageBy(by: string) {
  const { body } = await admin.call<ModelUsageRow[]>(getModelUsage, { query: { by } });
  return body;
}
const budget = async () => (await admin.call<ChatBudget>(getChatBudget)).body;

describe('POST /v1/embeddings', () => {
  it('embeds texts, in base64 as the package asks by default and as floats', async () => {
    const input = ['abc', 'a'];
    const { data, usage, model, object } = await openai.embeddings.create({ model: MODEL, input });
    expect({ usage, model, object }).toEqual({
      usage: { prompt_tokens: 20, total_tokens: 20 },
      model: MODEL,
      object: 'list',
    });
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    const length = Math.hypot(3, 1, 1);
    const [first = [], second] = data.map(({ embedding }) => embedding);
    for (const [at, value] of [3, 1, 1].entries()) expect(first[at]).toBeCloseTo(value / length, 6);
    const asFloats = await openai.embeddings.create({
      model: MODEL,
      input: 'a',
      encoding_format: 'float',
      user: 'ada',
    });
    expect(Float32Array.from(asFloats.data[0]?.embedding ?? [])).toEqual(
      Float32Array.from(second ?? []),
    );
    expect(asked()).toMatchObject([
      { model: MODEL, input },
      { model: MODEL, input: ['a'] },
    ]);
  });

  it('splits many texts over requests, and keeps their order', async () => {
    const input = Array.from({ length: 70 }, (_, at) => 'x'.repeat(at + 1));
    const { data, usage } = await openai.embeddings.create({ model: MODEL, input });
    expect(asked().map(({ input: texts }) => texts.length)).toEqual([32, 32, 6]);
    expect(data.map(({ index }) => index)).toEqual([...input.keys()]);
    const firsts = data.map(({ embedding: [first = 0] }) => first);
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    expect(usage.total_tokens).toBe(700);
  });

  it('sends a long text whole', async () => {
    await openai.embeddings.create({ model: MODEL, input: 'x'.repeat(32_000) });
    expect(asked()[0]?.input[0]).toHaveLength(32_000);
  });

  it('asks the model for the dimensions, and fails if it ignores them', async () => {
    const create = () => openai.embeddings.create({ model: MODEL, input: 'a', dimensions: 2 });
    expect((await create()).data[0]?.embedding).toHaveLength(2);
    ignoresDimensions = true;
    expect(await refused(create())).toMatchObject({ status: 500, code: 'embedding-failed' });
  });

  it('costs no credits, counts in the usage without an agent, and in the audit log', async () => {
    const before = await admin.call(listLedgerEntries);
    await openai.embeddings.create({ model: MODEL, input: ['a', 'b'] });
    const used = { calls: 1, inputTokens: 20, outputTokens: 0, costMicros: 40 };
    await expect.poll(() => usageBy('agent')).toMatchObject([{ key: 'none', name: null, ...used }]);
    expect(await usageBy('model')).toMatchObject([{ key: MODEL, ...used }]);
    expect((await usageBy('day')).at(-1)).toMatchObject(used);
    expect(await usageBy('member')).toMatchObject([{ name: "The AgentManager's", ...used }]);
    expect((await admin.call(listLedgerEntries)).body).toEqual(before.body);
    const { body } = await admin.call<AuditEntry[]>(listAuditEntries, {
      query: { kind: 'embedding' },
    });
    expect(body).toMatchObject([{ type: 'TextsEmbedded', actor: { kind: 'api-key' } }]);
  });

  it('counts against the token budget of chat, and is refused before the model is called', async () => {
    await admin.call(setChatBudget, { body: { monthlyTokens: 15 } });
    await openai.embeddings.create({ model: MODEL, input: ['a', 'b'] });
    await expect.poll(budget).toMatchObject({ monthlyTokens: 15, usedTokens: 20 });
    const { status, code, type } = await refused(
      openai.embeddings.create({ model: MODEL, input: 'a' }),
    );
    expect([status, code, type]).toEqual([402, 'token-budget-exceeded', 'insufficient_quota']);
    expect(peer.received).toHaveLength(1);
  });

  it('is an error if the model fails, and counts the requests that were answered', async () => {
    statusOf = (request) => (request === 1 ? 200 : 503);
    const input = Array.from({ length: 40 }, () => 'x');
    const error = await refused(openai.embeddings.create({ model: MODEL, input }));
    expect(error).toMatchObject({
      status: 500,
      code: 'embedding-failed',
      error: { params: { cause: 'model-unavailable' } },
    });
    expect(error.headers?.get('x-should-retry')).toBe('false');
    await expect.poll(budget).toMatchObject({ usedTokens: 320 });
    // The next call is made, although the last one failed.
    statusOf = () => 200;
    expect((await openai.embeddings.create({ model: MODEL, input: 'a' })).data).toHaveLength(1);
  });

  itIf(!isManyProcesses, 'one process')('lets no organization keep others waiting', async () => {
    const answering = Promise.withResolvers<void>();
    held = answering.promise;
    const create = (client: OpenAI) => client.embeddings.create({ model: MODEL, input: 'a' });
    const first = Array.from({ length: 6 }, () => create(openai));
    await expect.poll(() => peer.received.length).toBe(4);
    const other = create(await newOrganization());
    await expect.poll(() => peer.received.length).toBe(5);
    answering.resolve();
    expect(await Promise.all([...first, other])).toHaveLength(7);
    expect(peer.received).toHaveLength(7);
  });

  it.each([
    ['input[0]', { input: [1, 2, 3] }],
    ['input[0]', { input: [[1, 2], [3]] }],
    ['input', { input: [] }],
    ['input', { input: '' }],
    ['input[1]', { input: ['a', ''] }],
    ['input', { input: 'x'.repeat(32_001) }],
    ['input', { input: Array(257).fill('a') }],
    ['input', { input: Array(10).fill('x'.repeat(31_000)) }],
    ['encoding_format', { encoding_format: 'int8' }],
    ['dimensions', { dimensions: 0 }],
    ['model', { model: '' }],
  ])('refuses what is wrong in %s', async (param, wrong) => {
    const body = { model: MODEL, input: 'a', ...wrong };
    const error = await refused(openai.post('/embeddings', { body }));
    expect([error.status, error.code, error.param]).toEqual([400, 'validation-failed', param]);
    expect(peer.received).toEqual([]);
  });

  it('is refused for another model, without a model, and for a Viewer', async () => {
    const other = await refused(openai.embeddings.create({ model: 'other', input: 'a' }));
    expect([other.status, other.code, other.type]).toEqual([
      404,
      'model-not-found',
      'invalid_request_error',
    ]);
    expect(other.message).toContain(`Use ${MODEL}.`);
    const viewer = await clientOf('Viewer');
    const create = (client: OpenAI) =>
      refused(client.embeddings.create({ model: MODEL, input: 'a' }));
    expect(await create(viewer)).toMatchObject({ status: 403, code: 'key-reads-only' });
    await choose(null);
    const none = await create(openai);
    expect([none.status, none.code]).toEqual([409, 'no-embedding-model']);
    expect(none.message).toContain('Settings → Models');
    expect(peer.received).toEqual([]);
  });
});

describe('GET /v1/models with an embedding model', () => {
  it('lists the embedding model after the agents', async () => {
    const { agent } = await agentWithArticle(admin);
    const ownersOf = async () => {
      const { data } = await openai.models.list();
      return data.map(({ id, owned_by }) => [id, owned_by]);
    };
    await expect.poll(ownersOf).toEqual([
      [agent.id, 'tallyhand'],
      [MODEL, 'tallyhand-embeddings'],
    ]);
    expect(await openai.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
    await choose(null);
    await expect.poll(ownersOf).toEqual([[agent.id, 'tallyhand']]);
    expect((await refused(openai.models.retrieve(MODEL))).status).toBe(404);
  });
});
