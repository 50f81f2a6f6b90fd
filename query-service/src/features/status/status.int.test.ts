import { once } from 'node:events';
import { request } from 'node:http';
import type { Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('public information', () => {
  beforeEach(async () => {
    await service.admin.query(`delete from read_model.projector_heartbeat;
      delete from read_model.projection_lags; delete from read_model.checks`);
    await service.insert('projector_heartbeat', { beat_at: new Date().toISOString() });
  });

  it('includes that ledgers differ, without naming an organization', async () => {
    expect(await unwell()).toEqual(['ok']);
    expect(await metrics()).toContain('\ntallyhand_ledger_differences 0\n');
    await service.admin.query(`insert into read_model.checks values ('ledger', 2)`);
    expect(await unwell()).toEqual(['degraded', 'ledger']);
    const response = await service.get('/metrics', anyone);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(response.text).toContain('\ntallyhand_ledger_differences 2\n');
  });

  it('includes whether the projector runs, reaches the event store and keeps up', async () => {
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

  it('includes the duration of requests by route, and the number of waiting jobs', async () => {
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

  it('includes counts of reservations, mail, sessions and the like', async () => {
    expect(await metrics()).toContain('\ntallyhand_reservations{state="expired"} 0\n');
    expect(await metrics()).not.toContain('tallyhand_last_backup');
    await service.admin.query(`
      insert into operational.open_reservations values
        (gen_random_uuid(), gen_random_uuid(), 'task', gen_random_uuid(), now(),
          now() + interval '1 hour'),
        (gen_random_uuid(), gen_random_uuid(), 'task', gen_random_uuid(), now(),
          now() - interval '1 hour');
      insert into operational.outgoing_mail (mail_id, kind, sealed, state, next_at, began_at)
      values (gen_random_uuid(), 'invitation', '', 'waiting', now() - interval '1 hour', null),
        (gen_random_uuid(), 'invitation', '', 'failed', now(), now()),
        (gen_random_uuid(), 'invitation', '', 'uncertain', now(), now() - interval '2 days');
      insert into operational.last_backup (made_at, bytes) values ('2026-11-21T12:00:00Z', 4711);
    `);
    const text = await metrics();
    for (const line of [
      'database_up 1',
      'reservations{state="open"} 2',
      'reservations{state="expired"} 1',
      'mails{state="waiting"} 1',
      'mails{state="failed"} 1',
      'mails{state="uncertain"} 0',
      'last_backup_timestamp_seconds 1795262400',
      'last_backup_size_bytes 4711',
      'sessions{state="running"} 0',
      'mailboxes{state="failing"} 0',
      'erasures_pending 0',
    ]) {
      expect(text).toContain(`\ntallyhand_${line}\n`);
    }
    for (const age of ['reservation_overdue_seconds', 'mail_overdue_seconds']) {
      expect(text).toMatch(new RegExp(`^tallyhand_${age} 36\\d\\d(\\.\\d+)?$`, 'm'));
    }
    expect(text).toMatch(/^tallyhand_database_size_bytes \d{7,}$/m);
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'does not include metrics when a proxy forwards the request (%s)',
    async (name) => {
      const response = await fetch(`${service.url}/metrics`, {
        headers: { [name]: '203.0.113.7' },
      });
      expect(response.status).toBe(404);
    },
  );

  it.each([
    ['a name that was made to resolve to this machine', 'rebound.example', 404],
    ['such a name with the port', 'rebound.example:8080', 404],
    ['an address', '127.0.0.1', 200],
    ['a name of this machine', 'localhost:8080', 200],
  ])('includes metrics by the Host: %s', async (_, host, status) => {
    const asked = request(`${service.url}/metrics`, { headers: { host } }).end();
    const [answer] = await once(asked, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(status);
  });
});
