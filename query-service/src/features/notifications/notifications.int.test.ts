import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestQueryService, type TestQueryService } from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('GET /api/notifications', () => {
  it('shows every member what the organization should know of', async () => {
    const own = await service.caller('Viewer');
    const id = randomUUID();
    await service.insert('notifications', {
      ...{ notification_id: id, organization_id: own.organizationId, kind: 'low-credits' },
      ...{ severity: 'info', params: '{"level": 100, "available": 99}', object_id: id },
      ...{ object_kind: 'organization', created_at: '2026-11-21T08:00:00Z' },
    });
    expect((await service.get('/api/notifications', own)).body).toEqual([
      {
        ...{ id, kind: 'low-credits', severity: 'info', object: { kind: 'organization', id } },
        ...{ params: { level: 100, available: 99 }, readAt: null },
        createdAt: '2026-11-21T08:00:00+00:00',
      },
    ]);
    expect((await service.get('/api/notifications', await service.caller())).body).toEqual([]);
  });
});
