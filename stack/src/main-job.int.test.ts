import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { doMainJob } from './testing/main-job.ts';
import { sharedProduct, type TestProduct } from './testing/product.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

describe('a task', () => {
  it('is answered from the assigned article, costs one credit, and has a ledger entry', async () => {
    await doMainJob(product.url);
  });
});

describe('an organization', () => {
  it('sees nothing of another', async () => {
    const one = await registerOrganization(product.url);
    const other = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(one.client);
    expect((await other.client.call(listAgents)).body).toEqual([]);
    const executed = await other.client.call(executeTask, {
      params: { id: agent.id },
      body: { input: 'Hello' },
    });
    expect(executed.status).toBe(404);
  });
});
