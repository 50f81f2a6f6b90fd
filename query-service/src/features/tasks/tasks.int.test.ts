import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Columns,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function task(organizationId: string, columns: Columns = {}): Promise<string> {
  const id = randomUUID();
  await service.insert('tasks', {
    ...{ task_id: id, organization_id: organizationId, agent_id: randomUUID(), type: 'query' },
    ...{ status: 'success', input: 'Hello', sources: '[]', created_at: new Date().toISOString() },
    ...columns,
  });
  return id;
}

describe('what a task cost', () => {
  const entry = (organizationId: string, taskId: string, columns: Columns) =>
    service.entry(organizationId, {
      ...{ work_kind: 'task', work_id: taskId, reservation_id: taskId, amount: 1, ...columns },
    });
  const costOf = async (own: Parameters<TestQueryService['get']>[1], id: string) =>
    (await service.get(`/api/tasks/${id}`, own)).body;

  it('is what was charged, by a late reservation too', async () => {
    const own = await service.caller();
    const id = await task(own.organizationId);
    const late = { reservation_id: randomUUID(), price: 1 };
    await entry(own.organizationId, id, { sequence: 1, kind: 'expired' });
    await entry(own.organizationId, id, { sequence: 2, kind: 'charged', ...late });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 1, charge: { sequence: 2 } });
  });

  it('is nothing after the charge was given back, which still says why there was one', async () => {
    const own = await service.caller();
    const id = await task(own.organizationId);
    await entry(own.organizationId, id, { sequence: 1, kind: 'charged', price: 1 });
    await entry(own.organizationId, id, { sequence: 2, kind: 'refunded' });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 0, charge: { sequence: 1 } });
  });
});

describe('GET /api/tasks/stats', () => {
  it('counts the tasks of this month in UTC apart, and the credits that were spent', async () => {
    const own = await service.caller('Viewer');
    const now = new Date();
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    const at = (moment: number) => ({ created_at: new Date(moment).toISOString() });
    await task(own.organizationId, at(first));
    await task(own.organizationId, at(first - 1));
    await task(own.organizationId, { ...at(first - 1), status: 'failed' });
    await service.insert('usage_daily', {
      ...{ organization_id: own.organizationId, day: '2026-11-20', agent_id: randomUUID() },
      ...{ work_type: 'query', credits: 7, count: 7 },
    });
    expect((await service.get('/api/tasks/stats', own)).body).toEqual({
      ...{ total: 3, success: 2, failed: 1, running: 0, createdThisMonth: 1, creditsUsed: 7 },
    });
  });
});
