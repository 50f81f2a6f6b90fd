import {
  type Agent,
  type AgentSummary,
  assignResources,
  createAgent,
  deleteAgent,
  listAgentSummaries,
  SUMMARIES_MAX,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  cancelTask,
  executeTask,
  getTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sharedProduct } from '../testing/product.ts';

let client: ApiClient;
let other: ApiClient;
beforeAll(async () => {
  const { url } = await sharedProduct();
  ({ client } = await registerOrganization(url));
  ({ client: other } = await registerOrganization(url));
});

const summaries = async (by: ApiClient, ...ids: string[]) => {
  const query = { ids: ids.join() };
  const { status, body } = await by.call<AgentSummary[]>(listAgentSummaries, { query });
  expect(status).toBe(200);
  return body;
};

const noCalls = { calls: 0, estimatedCalls: 0, unpricedCalls: 0, costMicros: 0 };

const unused = {
  articles: [],
  playbooks: [],
  tools: [],
  tasks: { success: 0, failed: 0, cancelled: 0, open: 0 },
  lastRunAt: null,
  credits: { last30Days: 0, total: 0 },
  modelCost: { last30Days: noCalls, total: noCalls },
};

describe('GET /api/agents/summaries', () => {
  it('has what an agent may use, what it has done and what that cost', async () => {
    const { agent, article } = await agentWithArticle(client);
    const tool = await client.call<Tool>(createTool, { body: toolInput });
    const resources = { articles: [article.id], tools: [tool.body.id] };
    await client.call(assignResources, { params: { id: agent.id }, body: resources });
    const body = { input: 'How long can items be returned?' };
    const params = { id: agent.id };
    const done = await client.call<{ taskId: string }>(executeTask, { params, body });
    const headers = { prefer: 'respond-async' };
    const next = await client.call<{ taskId: string }>(executeTask, { params, body, headers });
    await client.call(cancelTask, { params: { id: next.body.taskId } });
    const task = async ({ taskId: id }: { taskId: string }) =>
      (await client.call<TaskDetail>(getTask, { params: { id } })).body;
    // A task that is running when it is cancelled ends a little later, perhaps as a success.
    const last = await vi.waitFor(async () => {
      const found = await task(next.body);
      expect(found.status).toMatch(/^(cancelled|success)$/);
      return found;
    });
    const wasCancelled = last.status === 'cancelled';
    const count = wasCancelled ? 1 : 2;
    const [found] = await summaries(client, agent.id);
    expect(found).toEqual({
      agentId: agent.id,
      articles: [{ id: article.id, name: article.title }],
      playbooks: [],
      tools: [{ id: tool.body.id, name: 'Orders' }],
      tasks: { success: count, failed: 0, cancelled: wasCancelled ? 1 : 0, open: 0 },
      lastRunAt: last.createdAt,
      credits: { last30Days: count, total: count },
      modelCost: unused.modelCost,
    });
    expect((await task(done.body)).status).toBe('success');
  });

  it('has the requested agents in their order, without deleted ones', async () => {
    const make = async () => (await client.call<Agent>(createAgent, { body: agentInput })).body.id;
    const [first, second, gone] = [await make(), await make(), await make()];
    await client.call(deleteAgent, { params: { id: gone } });
    expect(await summaries(client, second, gone, first)).toEqual([
      { agentId: second, ...unused },
      { agentId: first, ...unused },
    ]);
  });

  it('shows none of another organization', async () => {
    const { agent } = await agentWithArticle(client);
    expect(await summaries(other, agent.id)).toEqual([]);
  });

  const many = Array.from({ length: SUMMARIES_MAX + 1 }, () => crypto.randomUUID()).join();
  it.each(['', 'me', `${crypto.randomUUID()},`, many])('refuses the ids "%.20s"', async (ids) => {
    const { status, body } = await client.call<Problem>(listAgentSummaries, { query: { ids } });
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'ids']);
  });

  it('needs ids', async () => {
    const { status, body } = await client.call<Problem>(listAgentSummaries);
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'ids']);
  });
});
