import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestQueryService, type TestQueryService } from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('what everyone may know', () => {
  it('is that ledgers differ, without a word of whose', async () => {
    const anyone = { cookie: '' };
    const well = { status: 'ok', checks: [{ name: 'ledger', status: 'ok' }] };
    expect((await service.get('/api/status', anyone)).body).toEqual(well);
    expect((await service.get('/metrics', anyone)).text).toContain(
      '\ntallyhand_ledger_differences 0\n',
    );
    await service.admin.query(`insert into read_model.checks values ('ledger', 2)`);
    expect((await service.get('/api/status', anyone)).body).toEqual({
      ...{ status: 'degraded', checks: [{ name: 'ledger', status: 'failing' }] },
    });
    const metrics = await service.get('/metrics', anyone);
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(metrics.text).toContain('\ntallyhand_ledger_differences 2\n');
    await service.admin.query('delete from read_model.checks');
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'does not include metrics where a proxy asks for somebody (%s)',
    async (name) => {
      const response = await fetch(`${service.url}/metrics`, {
        headers: { [name]: '203.0.113.7' },
      });
      expect(response.status).toBe(404);
    },
  );
});
