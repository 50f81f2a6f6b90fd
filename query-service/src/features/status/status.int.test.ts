import type { Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestQueryService, type TestQueryService } from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

const anyone = { cookie: '' };
const metrics = async () => (await service.get('/metrics', anyone)).text;

async function unwell() {
  const { status, checks } = (await service.get('/api/status', anyone)).body as Status;
  return [status, ...checks.filter((check) => check.status !== 'ok').map(({ name }) => name)];
}

describe('what everyone may know', () => {
  it('is that ledgers differ, without a word of whose', async () => {
    await service.insert('projector_heartbeat', { beat_at: new Date().toISOString() });
    expect(await unwell()).toEqual(['ok']);
    expect(await metrics()).toContain('\ntallyhand_ledger_differences 0\n');
    await service.admin.query(`insert into read_model.checks values ('ledger', 2)`);
    expect(await unwell()).toEqual(['degraded', 'ledger']);
    const response = await service.get('/metrics', anyone);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(response.text).toContain('\ntallyhand_ledger_differences 2\n');
    await service.admin.query('delete from read_model.checks');
  });

  it('is whether the projector lives, reaches the event store and keeps up', async () => {
    await service.admin.query(
      `insert into read_model.checkpoints values ('tasks', 1, 'C7-P7', 7, 7)`,
    );
    await service.insert('projection_lags', { projection: 'tasks', seconds: 7, events: 12 });
    expect(await unwell()).toEqual(['degraded', 'read-models']);
    expect(await metrics()).toContain('\ntallyhand_projection_lag_events{projection="tasks"} 12\n');
    expect(await metrics()).toContain(
      '\ntallyhand_projection_checkpoint_position{projection="tasks"} 7\n',
    );
    await service.admin.query(`update read_model.projector_heartbeat
      set beat_at = now() - interval '1 minute', event_store_error = 'No connection'`);
    expect(await unwell()).toEqual(['failing', 'event-store', 'read-models']);
    expect(await metrics()).toContain('\ntallyhand_event_store_up 0\n');
  });

  it('is how long requests take by their routes, and how many jobs wait', async () => {
    await service.get('/api/tasks/one-that-is-not-there', anyone);
    const text = await metrics();
    expect(text).toMatch(
      /^tallyhand_http_request_duration_seconds_count\{method="GET",route="\/api\/tasks\/:id",status="4xx"\} \d+$/m,
    );
    expect(text).not.toContain('one-that-is-not-there');
    expect(text).toMatch(/^tallyhand_queue_jobs\{queue="run-task",state="waiting"\} 0$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds\{stat="p99"\} [\d.e-]+$/m);
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
