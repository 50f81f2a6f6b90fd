import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getUsage,
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  startVerification,
  type UsageRow,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getModelCredits,
  type ModelCredits,
} from '@tallyhand/contracts/features/models/model-credits.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { startSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  retryTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

/** Models called `dear-*` cost 40 credits in the shared product. */
let product: TestProduct;
let peer: Peer;
beforeAll(async () => {
  product = await sharedProduct();
  peer = await openAiPeer((response, { body }) =>
    body.model === 'dear-down'
      ? sendJson(response, 400, { error: { message: 'No.' } })
      : sendJson(response, 200, completion({ answer: 'Yes.' })),
  );
});
afterAll(() => peer?.[Symbol.asyncDispose]());

/** An Admin with 100 credits, and the id of a connection. */
async function organization() {
  const { client } = await registerOrganization(product.url);
  const models = ['dear-1', 'plain', 'dear-down'];
  const { id } = await newConnection(client, { baseUrl: peer.baseURL, models });
  return { client, connectionId: id };
}

async function agentWith(client: ApiClient, model: object | null): Promise<string> {
  return (await client.call<Agent>(createAgent, { body: { ...agentInput, model } })).body.id;
}

const run = (client: ApiClient, id: string, headers = {}) =>
  client.call<ExecutionResult & Problem>(executeTask, {
    params: { id },
    body: { input: 'Is it open?' },
    headers,
  });

const balance = async (client: ApiClient) =>
  (await client.call<{ creditBalance: number }>(getOrganization)).body.creditBalance;

describe('credits by model', () => {
  it('are told', async () => {
    const { client } = await organization();
    const { body } = await client.call<ModelCredits>(getModelCredits);
    expect(body).toEqual({ standard: 1, models: [{ model: 'dear-*', credits: 40 }] });
  });

  it('are reserved and charged, and refused when the balance has less', async () => {
    const { client, connectionId } = await organization();
    // The first model of the connection is its default.
    const id = await agentWith(client, { connectionId });
    const first = await run(client, id);
    expect(first.body).toMatchObject({ success: true, creditCost: 40 });
    const params = { id: first.body.taskId };
    await expect
      .poll(async () => (await client.call<TaskDetail>(getTask, { params })).body)
      .toMatchObject({ creditCost: 40, charge: { amount: 40, price: 40 } });
    expect(await balance(client)).toBe(60);
    const headers = { 'idempotency-key': newId() };
    const [second, repeated] = [await run(client, id, headers), await run(client, id, headers)];
    expect(repeated.body.taskId).toBe(second.body.taskId);
    const refused = { available: 20, requested: 40 };
    const step = { params: { id }, body: { goal: 'Read https://example.com' } };
    for (const { status, body } of [
      await run(client, id),
      await client.call<Problem>(startSession, step),
    ]) {
      expect([status, body.code, body.params]).toEqual([402, 'insufficient-credits', refused]);
    }
    const plain = await agentWith(client, { connectionId, model: 'plain' });
    expect((await run(client, plain)).body).toMatchObject({ success: true, creditCost: 1 });
    await expect.poll(() => balance(client)).toBe(19);
    expect((await client.call(startVerification)).status).toBe(202);
    const verified = async () => (await client.call<Verification>(getVerification)).body;
    await expect.poll(verified).toMatchObject({
      status: 'passed',
      available: { events: 19, readModel: 19, trialBalance: 19 },
    });
    const { body: usage } = await client.call<UsageRow[]>(getUsage, { query: { by: 'agent' } });
    expect(usage).toMatchObject([
      { key: id, credits: 80, count: 2 },
      { key: plain, credits: 1, count: 1 },
    ]);
    const { body: entries } = await client.call<LedgerEntry[]>(listLedgerEntries);
    const own = entries.filter(({ reservationId }) => reservationId === first.body.taskId);
    expect(own.map((one) => [one.kind, one.availableChange, one.postedChange])).toEqual([
      ['charged', 0, -40],
      ['reserved', -40, 0],
    ]);
  });

  it('are given back whole when the work fails', async () => {
    const { client, connectionId } = await organization();
    const id = await agentWith(client, { connectionId, model: 'dear-down' });
    const { body } = await run(client, id);
    expect(body).toMatchObject({ success: false, creditCost: 0 });
    await expect.poll(() => balance(client)).toBe(100);
    const params = { id: body.taskId };
    const retried = await client.call<ExecutionResult>(retryTask, { params });
    expect(retried.body).toMatchObject({ success: false, creditCost: 0 });
    await expect.poll(() => balance(client)).toBe(100);
  });

  it('of a fallback are those of the model', async () => {
    const { client, connectionId } = await organization();
    const fallback = { connectionId, model: 'dear-1' };
    const id = await agentWith(client, { connectionId, model: 'plain', fallback });
    expect((await run(client, id)).body.creditCost).toBe(1);
    const builtIn = await agentWith(client, { connectionId: null });
    expect((await run(client, builtIn)).body.creditCost).toBe(1);
  });
});
