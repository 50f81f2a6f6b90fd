import {
  AgentActivated,
  AgentCreated,
  AgentDeleted,
  AgentPaused,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import {
  ArticleCreated,
  ArticleDeleted,
  ArticleRestored,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { TaskCancelled, TaskRequested } from '@tallyhand/contracts/features/tasks/tasks.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentsProjection } from '../features/agents/agents.projection.ts';
import { articlesProjection } from '../features/knowledge/articles.projection.ts';
import { tasksProjection } from '../features/tasks/tasks.projection.ts';
import { openTestProjector, type TestProjector } from '../testing/test-projector.ts';

const projections = [agentsProjection, articlesProjection, tasksProjection];
const organizationId = newId();
/** As of a newer writer: nothing is brought to a later shape. */
const NEWEST = 100;

let test: TestProjector;
beforeAll(async () => {
  test = await openTestProjector();
});
afterAll(() => test[Symbol.asyncDispose]());

/** Appends to a stream; everything is projected in one batch before the next call. */
async function happened(stream: string, at: string, events: readonly EventValue[]) {
  const envelope = {
    schemaVersion: NEWEST,
    organizationId,
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'worker' as const },
    recordedAt: at,
  };
  const stored = events.map(({ type, data }) => ({
    id: newId(),
    type,
    data,
    envelope: { ...envelope, commandId: newId() },
  }));
  await test.eventLog.append(`${stream}-${newId()}`, stored, null);
  await test.caughtUp(projections);
}

/** All that is counted. */
async function counted(table: string): Promise<unknown[]> {
  const { rows } = await test.admin.query<{ counts: unknown }>(
    `select to_jsonb(c) - 'organization_id' as counts from read_model.${table} c
     where organization_id = $1 order by 1`,
    [organizationId],
  );
  return rows.map(({ counts }) => counts);
}

const [OCTOBER, NOVEMBER] = ['2026-10-31T23:59:59.000Z', '2026-11-01T00:00:00.000Z'];

function task() {
  const own = { taskId: newId(), organizationId };
  const asked = { taskType: 'query' as const, input: 'Hello', requestedBy: null, price: 1 };
  const deadline = '2026-12-31T00:00:00.000Z';
  const requested = TaskRequested({ ...own, ...asked, agentId: newId(), deadline });
  return { requested, cancelled: TaskCancelled({ ...own, cancelledBy: newId() }) };
}

describe('counters of rows', () => {
  let projector: AsyncDisposable;
  beforeAll(async () => {
    projector = await test.project(projections);
  });
  afterAll(() => projector[Symbol.asyncDispose]());

  it('count a task by its day (UTC) and its status, and by its agent', async () => {
    const [first, second, third] = [task(), task(), task()];
    await happened('task', OCTOBER, [first.requested, second.requested]);
    await happened('task', NOVEMBER, [first.cancelled, third.requested]);
    const byAgent = await counted('agent_task_counts');
    expect(byAgent).toHaveLength(3);
    for (const [one, status] of [[first, 'cancelled'] as const, [third, 'queued'] as const]) {
      const { agentId: agent_id } = one.requested.data;
      expect(byAgent).toContainEqual({ agent_id, status, count: 1 });
    }
    expect(await counted('task_counts')).toEqual([
      { day: '2026-10-31', status: 'cancelled', count: 1 },
      { day: '2026-10-31', status: 'queued', count: 1 },
      { day: '2026-11-01', status: 'queued', count: 1 },
    ]);
  });

  it('count existing agents, by whether they are active', async () => {
    const agent = { agentId: newId(), organizationId };
    const style = { communicationStyle: 'friendly', responseFormat: 'concise' } as const;
    const persona = { role: 'Support', personality: 'Patient', expertise: [], ...style };
    const texts = { name: 'Ada', description: '', persona, model: null };
    const resources = { articles: [], playbooks: [], tools: [] };
    const created = AgentCreated({ ...agent, ...texts, ...resources, version: 1, isActive: true });
    await happened('agent', NOVEMBER, [created, AgentPaused(agent)]);
    expect(await counted('agent_counts')).toEqual([{ is_active: false, count: 1 }]);
    await happened('agent', NOVEMBER, [AgentDeleted(agent)]);
    expect(await counted('agent_counts')).toEqual([]);
    await happened('agent', NOVEMBER, [AgentRestored(agent), AgentActivated(agent)]);
    expect(await counted('agent_counts')).toEqual([{ is_active: true, count: 1 }]);
  });

  it('count existing articles', async () => {
    const article = { articleId: newId(), organizationId };
    const content = { kind: 'inline' as const, text: 'Thirty days.' };
    const texts = { version: 1, title: 'Returns', content, category: 'General', tags: [] };
    await happened('article', NOVEMBER, [ArticleCreated({ ...article, ...texts, isPublic: true })]);
    expect(await counted('article_counts')).toEqual([{ count: 1 }]);
    await happened('article', NOVEMBER, [ArticleDeleted(article)]);
    expect(await counted('article_counts')).toEqual([]);
    await happened('article', NOVEMBER, [ArticleRestored(article)]);
    expect(await counted('article_counts')).toEqual([{ count: 1 }]);
  });
});
