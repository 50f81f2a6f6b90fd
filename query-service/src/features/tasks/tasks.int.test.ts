import { randomUUID } from 'node:crypto';
import type { TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
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
    task_id: id,
    organization_id: organizationId,
    agent_id: randomUUID(),
    type: 'query',
    status: 'success',
    input: 'Hello',
    sources: '[]',
    created_at: new Date().toISOString(),
    ...columns,
  });
  return id;
}

describe('the cost of a task', () => {
  const entry = (organizationId: string, taskId: string, columns: Columns) =>
    service.entry(organizationId, {
      work_kind: 'task',
      work_id: taskId,
      reservation_id: taskId,
      amount: 1,
      ...columns,
    });
  const costOf = async (own: Parameters<TestQueryService['get']>[1], id: string) =>
    (await service.get(`/api/tasks/${id}`, own)).body;

  it('is what was charged, also by a late reservation', async () => {
    const own = await service.caller();
    const id = await task(own.organizationId);
    const late = { reservation_id: randomUUID(), price: 1 };
    await entry(own.organizationId, id, { sequence: 1, kind: 'expired' });
    await entry(own.organizationId, id, { sequence: 2, kind: 'charged', ...late });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 1, charge: { sequence: 2 } });
  });

  it('is what was reserved, from its success to its charge', async () => {
    const own = await service.caller();
    const id = await task(own.organizationId);
    const running = await task(own.organizationId, { status: 'running' });
    for (const [at, each] of [id, running].entries())
      await entry(own.organizationId, each, { sequence: 2 * at + 1, kind: 'reserved', amount: 40 });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 40, charge: null });
    expect(await costOf(own, running)).toMatchObject({ creditCost: 0 });
    await entry(own.organizationId, id, { sequence: 2, kind: 'expired', amount: 40 });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 0 });
  });

  it('is zero after a refund, which still shows why there was a charge', async () => {
    const own = await service.caller();
    const id = await task(own.organizationId);
    await entry(own.organizationId, id, { sequence: 1, kind: 'charged', price: 1 });
    await entry(own.organizationId, id, { sequence: 2, kind: 'refunded' });
    expect(await costOf(own, id)).toMatchObject({ creditCost: 0, charge: { sequence: 1 } });
  });
});

describe('GET /api/tasks?q=', () => {
  /** Tasks by the minute, of which the third oldest and the newest are about zebras. */
  async function zebras(organizationId: string) {
    await service.admin.query(
      `insert into read_model.tasks
         (task_id, organization_id, agent_id, type, status, input, output, sources, created_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'query', 'success',
         case when n = 1200 then 'Feed the ZEBRA' else 'Hello' end,
         case when n = 3 then 'Zebras are fed.' else 'Hello' end, '[]',
         timestamptz '2026-11-01T00:00:00Z' + n * interval '1 minute'
       from generate_series(1, 1200) n`,
      [organizationId],
    );
  }
  type Found = { readonly input: string; readonly output: string };

  it.each(['newest', 'oldest'])(
    'pages through all tasks that contain a text, the %s first',
    async (order) => {
      const own = await service.caller('Viewer');
      await zebras(own.organizationId);
      const pages: Found[][] = [];
      let path: string | undefined = `/api/tasks?q=zebra&limit=2&order=${order}`;
      while (path !== undefined) {
        const { status, headers, body } = await service.get(path, own);
        expect(status).toBe(200);
        pages.push(body as Found[]);
        path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      const texts = pages.flat().map(({ input, output }) => `${input} ${output}`);
      const both = ['Feed the ZEBRA Hello', 'Hello Zebras are fed.'];
      expect(texts).toEqual(order === 'newest' ? both : both.toReversed());
      expect(pages.length).toBeLessThanOrEqual(4);
    },
  );

  it('applies to exports too', async () => {
    const own = await service.caller('Viewer');
    await zebras(own.organizationId);
    const { body } = await service.get('/api/tasks/export?q=zebra&format=json', own);
    expect(body).toMatchObject([{ output: 'Zebras are fed.' }, { input: 'Feed the ZEBRA' }]);
  });
});

describe('GET /api/tasks/stats', () => {
  it('counts the tasks of this month in UTC separately, and the spent credits', async () => {
    const own = await service.caller('Viewer');
    const now = new Date();
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
    const [thisMonth, lastMonth] = [day(Date.UTC(year, month)), day(Date.UTC(year, month - 1))];
    const { organizationId: organization_id } = own;
    await service.insert('account_balances', {
      organization_id,
      account: 'usage',
      debits: 2,
      credits: 9,
    });
    for (const [of, status, count] of [
      [lastMonth, 'success', 3],
      [lastMonth, 'failed', 1],
      [thisMonth, 'success', 2],
      [thisMonth, 'queued', 1],
      [thisMonth, 'running', 1],
    ] as const) {
      await service.insert('task_counts', { organization_id, day: of, status, count });
    }
    expect((await service.get('/api/tasks/stats', own)).body).toMatchObject({
      total: 8,
      success: 5,
      failed: 1,
      running: 2,
      createdThisMonth: 4,
      creditsUsed: 7,
    });
  });

  it('lists the last 14 days in UTC with the tasks and credits of each', async () => {
    const own = await service.caller('Viewer');
    const organization_id = own.organizationId;
    const daysAgo = (n: number) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);
    for (const [day, status, count] of [
      [daysAgo(14), 'success', 50],
      [daysAgo(13), 'success', 3],
      [daysAgo(13), 'failed', 1],
      [daysAgo(0), 'running', 1],
    ] as const) {
      await service.insert('task_counts', { organization_id, day, status, count });
    }
    const work = { organization_id, agent_id: randomUUID(), member_id: null, count: 1 };
    for (const work_type of ['query', 'browsing_step']) {
      await service.insert('usage_daily', { ...work, work_type, day: daysAgo(13), credits: 2 });
    }
    const { body } = await service.get('/api/tasks/stats', own);
    const { latestDays } = body as TaskStats;
    expect(latestDays).toHaveLength(14);
    expect(latestDays[0]).toEqual({ day: daysAgo(13), tasks: 4, failed: 1, credits: 4 });
    expect(latestDays[1]).toEqual({ day: daysAgo(12), tasks: 0, failed: 0, credits: 0 });
    expect(latestDays[13]).toEqual({ day: daysAgo(0), tasks: 1, failed: 0, credits: 0 });
  });
});
