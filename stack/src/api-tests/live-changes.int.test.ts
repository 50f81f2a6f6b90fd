import { createAgent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ApiClient,
  agentInput,
  apiClient,
  registerOrganization,
} from '../testing/api-client.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
  // What was before the start of the process it can't know, and says so.
  const { client } = await registerOrganization(product.url);
  await vi.waitUntil(async () => {
    // A stream says nothing first when nothing has changed.
    await client.call(createAgent, { body: agentInput });
    return !(await firstOf(client)).includes('"all"');
  }, WAIT);
});
afterAll(() => product[Symbol.asyncDispose]());

const WAIT = { timeout: 30_000, interval: 500 };

/** What a new stream says first. */
async function firstOf(client: ApiClient): Promise<string> {
  const leaving = new AbortController();
  const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ');
  const answer = await fetch(`${product.url}/api/events`, {
    ...{ headers: { cookie }, signal: leaving.signal },
  });
  expect(answer.status).toBe(200);
  let told = '';
  for await (const chunk of answer.body ?? []) {
    told += Buffer.from(chunk).toString();
    if (told.includes('data:')) break;
  }
  leaving.abort();
  return told;
}

describe('a stream of changes', () => {
  it('names first what has changed since the page was read, to its own organization', async () => {
    const { client } = await registerOrganization(product.url);
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(201);
    // It is in the read models now, and whoever listens to the database has heard of it.
    expect((await client.call<unknown[]>(listAgents)).body).toHaveLength(1);
    await vi.waitUntil(async () => (await firstOf(client)).includes('"agents"'), WAIT);
    const other = await registerOrganization(product.url);
    expect(await firstOf(other.client)).not.toContain('"agents"');
  });

  it('is refused to who is not signed in', async () => {
    expect((await apiClient(product.url).send('GET', '/api/events')).status).toBe(401);
  });
});
