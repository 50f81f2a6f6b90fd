import { randomUUID } from 'node:crypto';
import { UsageRow } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Caller,
  type Columns,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('GET /api/billing/usage', () => {
  const spent = (organizationId: string, columns: Columns) =>
    service.insert('usage_daily', {
      organization_id: organizationId,
      day: '2026-11-20',
      agent_id: randomUUID(),
      member_id: null,
      work_type: 'query',
      credits: 1,
      count: 1,
      ...columns,
    });
  const usage = async (own: Caller, query: string) => {
    const { status, body } = await service.get(`/api/billing/usage?${query}`, own);
    return status === 200 ? z.array(UsageRow).parse(body) : body;
  };
  const days = 'from=2026-11-19&to=2026-11-21';

  it('has every day of the range, including those without use', async () => {
    const [own, other] = [await service.caller(), await service.caller()];
    await spent(own.organizationId, { credits: 3, count: 2 });
    await spent(own.organizationId, { credits: 4, count: 1, work_type: 'playbook' });
    await spent(own.organizationId, { day: '2026-11-22' });
    await spent(other.organizationId, { credits: 100 });
    const row = { name: null, credits: 0, count: 0 };
    expect(await usage(own, `by=day&${days}`)).toEqual([
      { ...row, key: '2026-11-19' },
      { ...row, key: '2026-11-20', credits: 7, count: 3 },
      { ...row, key: '2026-11-21' },
    ]);
    expect(await usage(own, '')).toHaveLength(30);
  });

  it('names agents and members, most spent first, without refunds', async () => {
    const own = await service.caller();
    const [known, gone, idle] = [randomUUID(), randomUUID(), randomUUID()];
    await service.agentNamed(own.organizationId, known, 'Support');
    await spent(own.organizationId, { agent_id: known, credits: 2, count: 2 });
    await spent(own.organizationId, { agent_id: gone, member_id: own.userId, credits: 5 });
    await spent(own.organizationId, { agent_id: idle, credits: 0, count: 0 });
    expect(await usage(own, `by=agent&${days}`)).toEqual([
      { key: gone, name: null, credits: 5, count: 1 },
      { key: known, name: 'Support', credits: 2, count: 2 },
    ]);
    expect(await usage(own, `by=member&${days}`)).toEqual([
      { key: own.userId, name: null, credits: 5, count: 1 },
      { key: 'none', name: null, credits: 2, count: 2 },
    ]);
    expect(await usage(own, `by=type&${days}`)).toEqual([
      { key: 'query', name: null, credits: 7, count: 3 },
    ]);
  });

  it.each([
    ['by=moon', 'by'],
    ['from=2026-02-30', 'from'],
    ['from=yesterday', 'from'],
    ['to=2026-11-21T00:00:00Z', 'to'],
    ['from=2026-11-21&to=2026-11-20', 'from'],
    ['from=2020-01-01&to=2026-11-20', 'from'],
    ['from=0000-01-01&to=0000-01-02', 'from'],
    ['until=2026-11-20', 'until'],
  ])('refuses %s by the name of the field', async (query, path) => {
    expect(await usage(await service.caller(), query)).toMatchObject({
      status: 422,
      errors: [{ path }],
    });
  });
});
