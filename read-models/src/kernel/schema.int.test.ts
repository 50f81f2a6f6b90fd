import { randomUUID } from 'node:crypto';
import { openPool, roleName, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { emptyDatabase, testDatabase, testKey } from '@tallyhand/test-kit/backends';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Column, int, orNull, text, texts, uuid, withDefault } from './columns.ts';
import type { ReadModel, Table } from './read-model.ts';
import { makeReadModels } from './schema.ts';

let opened: AsyncDisposableStack;
let url: string;
let admin: pg.Pool;
beforeAll(async () => {
  opened = new AsyncDisposableStack();
  ({ url } = opened.use(await emptyDatabase()));
  await migrate(url, testKey());
  admin = opened.adopt(openPool(url, 2), (p) => p.end());
});
afterAll(() => opened.disposeAsync());

/** Columns as the API of typed tables takes them, beside the key and the organization. */
const boats = (
  columns: Readonly<Record<string, Column>>,
  more: Partial<Table> = {},
): ReadModel => ({
  name: 'boats',
  feature: 'boats',
  version: 1,
  tables: {
    boats: {
      key: ['boat_id'],
      columns: Object.assign({ boat_id: uuid, organization_id: uuid }, columns),
      ...more,
    },
  },
});
const SMALL = { name: text, sails: orNull(text) };

async function make(model: ReadModel) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await makeReadModels(client, url, [model], []);
  } finally {
    await client.end();
  }
}

const rows = async () => (await admin.query('select * from read_model.boats')).rows;
const insert = (columns: Record<string, unknown>) =>
  admin.query(
    'insert into read_model.boats select * from jsonb_populate_record(null::read_model.boats, $1)',
    [{ boat_id: randomUUID(), organization_id: randomUUID(), ...columns }],
  );
async function isOutdated() {
  const { rows: found } = await admin.query<{ is_outdated: boolean }>(
    `select is_outdated from read_model.models where name = 'boats'`,
  );
  return found[0]?.is_outdated;
}

/** A table with a row, and with a checkpoint, as after some events. */
beforeEach(async () => {
  await admin.query('drop table if exists read_model.boats, read_model_next.boats');
  await admin.query(`delete from read_model.models where name = 'boats'`);
  await make(boats(SMALL));
  await admin.query(`insert into read_model.checkpoints values ('boats', 1, 'C1-P1', 1, 1)
    on conflict (projection) do nothing`);
  await admin.query('update read_model.models set is_outdated = false');
  await insert({ name: 'Argo', sails: 'white' });
});

describe('tables of a read model that has changed', () => {
  it('are left alone when nothing changed', async () => {
    await make(boats(SMALL));
    expect([await rows(), await isOutdated()]).toMatchObject([[{ name: 'Argo' }], false]);
  });

  it('are left alone when only the text of the declaration changed', async () => {
    await make(boats(SMALL, { indexes: ['(organization_id, sails) where sails is not null'] }));
    await admin.query('update read_model.models set is_outdated = false');
    await make(
      boats(SMALL, {
        indexes: ['using btree (organization_id, sails)  where (sails IS NOT NULL)'],
      }),
    );
    expect([(await rows()).length, await isOutdated()]).toEqual([1, false]);
    const { rows: found } = await admin.query(
      `select from pg_indexes where schemaname = 'read_model' and tablename = 'boats'`,
    );
    expect(found).toHaveLength(2);
  });

  it('are read and written with what is new until they are rebuilt', async () => {
    await make(boats({ masts: int, oars: withDefault(int, '8'), sails: orNull(text) }));
    expect(await rows()).toMatchObject([{ name: 'Argo', masts: null, oars: 8 }]);
    await insert({ masts: 2, oars: 0 });
    expect([(await rows()).length, await isOutdated()]).toEqual([2, true]);
  });

  it('get the indexes that new reads use', async () => {
    await make(boats(SMALL, { indexes: ['(sails)'] }));
    const { rows: found } = await admin.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = 'read_model' and tablename = 'boats'`,
    );
    expect(found.map(({ indexdef }) => indexdef)).toContainEqual(
      expect.stringContaining('(sails)'),
    );
    expect([(await rows()).length, await isOutdated()]).toEqual([1, true]);
  });

  it('start empty, without a checkpoint, when a column changes its type', async () => {
    await make(boats({ name: texts, sails: orNull(text) }));
    const checkpoints = await admin.query(
      `select from read_model.checkpoints where projection = 'boats'`,
    );
    expect([await rows(), checkpoints.rowCount, await isOutdated()]).toEqual([[], 0, false]);
  });

  it('are replaced by the next ones, with policies, rights and indexes', async () => {
    const [indexes, writeIndexes] = [['(organization_id, name)'], ['(name)']];
    await make(boats({ name: text }, { indexes, writeIndexes }));
    const shape = async () =>
      (
        await admin.query(
          `select c.relrowsecurity, c.relforcerowsecurity, c.relacl::text,
             (select array_agg(polname::text order by polname) from pg_policy
              where polrelid = c.oid) as policies,
             (select array_agg(indexdef order by indexdef) from pg_indexes i
              where i.schemaname = 'read_model' and i.tablename = 'boats') as indexes
           from pg_class c where c.oid = 'read_model.boats'::regclass`,
        )
      ).rows[0];
    await admin.query(`select read_model.make_next('boats')`);
    await admin.query(`insert into read_model_next.boats values (gen_random_uuid(),
      gen_random_uuid(), 'Pequod')`);
    expect(await rows()).toMatchObject([{ name: 'Argo' }]);
    await admin.query(`select read_model.index_next('boats')`);
    await admin.query(`select read_model.switch_to_next('boats')`);
    expect(await rows()).toMatchObject([{ name: 'Pequod' }]);
    expect(await shape()).toMatchObject({
      relrowsecurity: true,
      relforcerowsecurity: true,
      policies: ['projector', 'tenant'],
      relacl: expect.stringMatching(/_query=r\/.*_projector=arwd\//),
      indexes: [
        expect.stringContaining('(name)'),
        expect.stringContaining('(organization_id, name)'),
        expect.stringContaining('pkey'),
      ],
    });
    expect(await isOutdated()).toBe(false);
  });
});

describe('a copy of a database', () => {
  it.each(['query', 'command', 'projector'] as const)('lets its own %s role read', async (role) => {
    await using copy = await testDatabase();
    const key = testKey();
    await migrate(copy.url, key);
    await using open = new AsyncDisposableStack();
    const pool = open.adopt(openPool(roleUrl(copy.url, key, role), 1), (p) => p.end());
    expect((await pool.query('select from read_model.tasks')).rowCount).toBe(0);
  });
});

describe('a migration that has nothing to change', () => {
  it('writes no row again, and keeps the rights of functions and tables', async () => {
    await using database = await emptyDatabase();
    const key = testKey();
    const look = async () => {
      await using open = new AsyncDisposableStack();
      const pool = open.adopt(openPool(database.url, 1), (p) => p.end());
      const { rows: found } = await pool.query(`
        select name, xmin::text as written from read_model.models
        union all select name, xmin::text from jobs.queue
        union all select oid::regprocedure::text, proacl::text from pg_proc
          where pronamespace = 'read_model'::regnamespace and proname like 'read%'
        order by 1`);
      return found;
    };
    await migrate(database.url, key);
    const first = await look();
    await migrate(database.url, key);
    expect(await look()).toEqual(first);
  });
});

describe('the password of a role', () => {
  // It is random: repeated hashing would only slow each connection.
  it('is hashed once', async () => {
    const { rows: found } = await admin.query<{ start: string }>(
      `select distinct split_part(rolpassword, ':', 1) as start from pg_authid where rolname = any($1)`,
      [(['query', 'command', 'projector'] as const).map((role) => roleName(url, role))],
    );
    expect(found).toEqual([{ start: 'SCRAM-SHA-256$1' }]);
  });
});
