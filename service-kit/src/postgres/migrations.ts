import pg from 'pg';
import { StartRefusal } from '../settings.ts';

/** A step forward of the operational schema; never changed once it was released. */
export type Migration = { readonly id: string; readonly sql: string };

/** Any number: the one lock under which schemas change. */
const MIGRATION_LOCK = 7_261_944;
const CONNECT_MS_MAX = 10_000;
/** The first version with `nulls not distinct`. */
const SERVER_VERSION_MIN = 150_000;

/** Runs `work` on an administrator's connection, one at a time per database. */
export async function withMigrationLock<T>(
  adminUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connected(adminUrl);
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function connected(adminUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: CONNECT_MS_MAX,
  });
  // Between two queries a lost connection has no other listener, and would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new StartRefusal(
      `The database can't be used (${code ?? 'no answer'}): is its address right, with user and ` +
        'password?',
      { cause: error },
    );
  }
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  );
  const version = Number(rows[0]?.version);
  if (version >= SERVER_VERSION_MIN) return client;
  await client.end();
  throw new StartRefusal(
    `PostgreSQL ${Math.floor(version / 10_000)} is too old: 15 is the first that will do. ` +
      'Nothing was changed.',
  );
}

/** Throws when the schema has steps behind it that this release does not know. */
export async function refuseNewer(
  client: pg.Client,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const table = `${pg.escapeIdentifier(schema)}.migrations`;
  const { rows: found } = await client.query<{ exists: boolean }>(
    'select to_regclass($1) is not null as exists',
    [table],
  );
  if (!found[0]?.exists) return;
  const { rows } = await client.query<{ id: string }>(
    `select id from ${table} where id <> all($1) order by id`,
    [migrations.map(({ id }) => id)],
  );
  const [newer] = rows;
  if (!newer) return;
  throw new StartRefusal(
    `The database was written by a newer release (${schema}/${newer.id} is not known here). ` +
      'Nothing was changed: start that release, or restore a backup of this one.',
  );
}

/** Applies missing migrations in order, each in its own transaction. */
export async function applyMigrations(
  client: pg.Client,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const name = pg.escapeIdentifier(schema);
  await client.query(`create schema if not exists ${name}`);
  await client.query(
    `create table if not exists ${name}.migrations (id text primary key, applied_at timestamptz not null default now())`,
  );
  const { rows } = await client.query<{ id: string }>(`select id from ${name}.migrations`);
  const applied = new Set(rows.map(({ id }) => id));
  for (const { id, sql } of migrations) {
    if (applied.has(id)) continue;
    await client.query('begin');
    try {
      await client.query(sql);
      await client.query(`insert into ${name}.migrations (id) values ($1)`, [id]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`Migration ${schema}/${id} failed`, { cause: error });
    }
  }
}
