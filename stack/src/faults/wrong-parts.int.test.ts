import { randomUUID } from 'node:crypto';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { StartRefusal } from '@tallyhand/service-kit/settings';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { emptyDatabase, testEventStore, testKey } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApplicationConfig, startApplication } from '../application/start.ts';
import { testConfig } from '../testing/product.ts';

let config: ApplicationConfig & AsyncDisposable;

beforeAll(async () => {
  config = await testConfig();
  await using application = await startApplication(config);
  await registerOrganization(`http://127.0.0.1:${application.port}`);
  // Its reactions have seen the first event, and recorded the database's store.
  await vi.waitUntil(async () => (await firstNoted()).length === 1);
});
afterAll(() => config[Symbol.asyncDispose]());

async function onDatabase<R extends object>(sql: string, url = config.databaseUrl) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

const firstNoted = () => onDatabase('select first_event_id from operational.event_store');

/** What a start must not change: rows and migrations; and the services still connect. */
async function state() {
  const { databaseUrl, masterKey } = config;
  const own = await onDatabase('select current_user', roleUrl(databaseUrl, masterKey, 'command'));
  const rows = await onDatabase(
    `select (select count(*) from pg_class) as relations,
       (select string_agg(id, ' ' order by id) from operational.migrations) as migrations,
       (select count(*) from operational.person_keys) as keys,
       (select string_agg(position, ' ') from operational.reaction_checkpoints) as checkpoint`,
  );
  return [...own, ...rows];
}

async function expectRefused(changed: Partial<ApplicationConfig>, message: string) {
  const before = await state();
  const starting = startApplication({ ...config, ...changed });
  const refused = await starting.then(
    async (application) => {
      await application[Symbol.asyncDispose]();
      return null;
    },
    (error) => error,
  );
  expect(refused).toBeInstanceOf(StartRefusal);
  expect(refused.message).toContain(message);
  expect(await state()).toEqual(before);
}

async function append(eventStoreUrl: string) {
  const eventLog = openEventLog(eventStoreUrl);
  const envelope = {
    organizationId: randomUUID(),
    actor: { kind: 'operator' as const },
    commandId: randomUUID(),
    correlationId: randomUUID(),
    causationId: null,
    recordedAt: new Date().toISOString(),
    schemaVersion: 1,
  };
  const event = { id: randomUUID(), type: 'Something', data: {}, envelope };
  try {
    await eventLog.append(`something-${randomUUID()}`, [event], null);
  } finally {
    await eventLog.close();
  }
  return event.id;
}

describe('the product', () => {
  it('does not start on the event store of another one', async () => {
    await using other = await testEventStore();
    await expectRefused({ eventStoreUrl: other.url }, 'The event store is empty, and not');
    await append(other.url);
    await expectRefused({ eventStoreUrl: other.url }, 'The event store is another one');
  });

  it('does not start on a database that knows nothing of the events', async () => {
    await using empty = await emptyDatabase();
    const changed = { databaseUrl: empty.url, migrateDatabaseUrl: empty.url };
    await expectRefused(changed, 'the database knows nothing of them');
  });

  it('starts on events whose first one the database has recorded, before any reaction has run', async () => {
    await using fresh = await testConfig();
    const first = await append(fresh.eventStoreUrl);
    await expect(startApplication(fresh)).rejects.toThrow('the database knows nothing of them');
    const record = `insert into operational.event_store (first_event_id) values ('${first}')`;
    await onDatabase(record, fresh.databaseUrl);
    await using application = await startApplication(fresh);
    expect(application.port).toBeGreaterThan(0);
  });

  it("does not start on an event store that ends before the database's position", async () => {
    const [row] = await onDatabase<{ position: string }>(
      'select position from operational.reaction_checkpoints',
    );
    const set = (position = '') =>
      onDatabase(`update operational.reaction_checkpoints set position = '${position}'`);
    try {
      await set('C999999-P999999');
      await expectRefused({}, 'it is an older copy');
    } finally {
      await set(row?.position);
    }
  });

  it('does not start with another master key, and leaves the roles their passwords', () =>
    expectRefused({ masterKey: testKey() }, 'MASTER_KEY is not the key'));

  it('does not start on a database of a newer release', async () => {
    await onDatabase(`insert into operational.migrations (id) values ('9999-of-later')`);
    await expectRefused({}, 'written by a newer release (operational/9999-of-later');
    await onDatabase(`delete from operational.migrations where id = '9999-of-later'`);
  });

  it('reports that the database is unreachable, or refuses the password', async () => {
    const away = 'postgres://user:secret@127.0.0.1:9/nothing';
    await expectRefused({ migrateDatabaseUrl: away }, "The database can't be used (ECONNREFUSED)");
    const url = new URL(config.databaseUrl);
    url.password = 'another';
    await expectRefused({ migrateDatabaseUrl: url.href }, "The database can't be used (28P01)");
  });
});
