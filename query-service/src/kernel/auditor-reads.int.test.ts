import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestQueryService, type TestQueryService } from '../testing/test-query-service.ts';

let service: TestQueryService;
let recorded: Observation[] = [];
let isReachable = true;
beforeAll(async () => {
  service = await openTestQueryService({
    record: async (observation) => {
      if (!isReachable) throw new Error('The command service is down');
      recorded.push(observation);
    },
  });
});
afterAll(() => service[Symbol.asyncDispose]());

it('answers an Auditor only when the read is recorded', async () => {
  const { cookie } = await service.caller('Auditor');
  const read = () =>
    fetch(`${service.url}${listAuditEntries.path}?kind=agent`, { headers: { cookie } });
  expect((await read()).status).toBe(200);
  expect(recorded).toMatchObject([
    { kind: 'auditor-read', call: 'listAuditEntries', params: { kind: 'agent' }, isKey: false },
  ]);
  isReachable = false;
  const refused = await read();
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'dependency-down' }]);
});

it('records no read of other roles', async () => {
  recorded = [];
  const { cookie } = await service.caller('Admin');
  const answer = await fetch(`${service.url}${listAuditEntries.path}`, { headers: { cookie } });
  expect([answer.status, recorded]).toEqual([200, []]);
});
