import { operationalMigrations, SCHEMA } from '@tallyhand/command-service/operational/migrations';
import { checkMasterKey } from '@tallyhand/command-service/operational/vault-key';
import { applyMigrations, withMigrationLock } from '@tallyhand/service-kit/postgres/migrations';
import type pg from 'pg';
import { migrate } from '../application/migrate.ts';
import { OperatorError } from '../operator/command.ts';
import { loadRows } from './dump-tables.ts';
import type { TableEntry } from './manifest.ts';

export type StoredTables = {
  readonly migrations: readonly string[];
  readonly tables: readonly TableEntry[];
  lines(table: TableEntry): AsyncIterable<readonly string[]>;
};

/**
 * Fills an empty database: the operational schema of the backup, its rows, then later migrations,
 * jobs and empty read models. Throws an OperatorError for a newer release's.
 */
export async function loadTables(
  databaseUrl: string,
  masterKey: string,
  stored: StoredTables,
): Promise<void> {
  const known = operationalMigrations.filter(({ id }) => stored.migrations.includes(id));
  if (known.length !== stored.migrations.length) {
    throw new OperatorError('It was made by a newer release. Restore it with that one.');
  }
  const isOperational = ({ name }: TableEntry) => name.startsWith(`${SCHEMA}.`);
  await withMigrationLock(databaseUrl, async (client) => {
    await applyMigrations(client, SCHEMA, known);
    await loadAll(client, stored, isOperational);
    await checkMasterKey(client, masterKey);
  });
  await migrate(databaseUrl, masterKey);
  await withMigrationLock(databaseUrl, (client) =>
    loadAll(client, stored, (table) => !isOperational(table)),
  );
}

async function loadAll(
  client: pg.Client,
  { tables, lines }: StoredTables,
  isMeant: (table: TableEntry) => boolean,
) {
  await client.query('begin');
  // For the owner's rows of all organizations at once, where the owner is no superuser.
  await forceRowSecurity(client, 'no force');
  for (const table of tables.filter(isMeant)) {
    let rows = 0;
    for await (const page of lines(table)) {
      rows += page.length;
      await loadRows(client, table, page);
    }
    if (rows !== table.rows) {
      throw new OperatorError(`${table.name} should have ${table.rows} rows, and has ${rows}.`);
    }
  }
  await forceRowSecurity(client, 'force');
  await client.query('commit');
}

async function forceRowSecurity(client: pg.Client, how: 'force' | 'no force') {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and c.relrowsecurity`,
    [SCHEMA],
  );
  for (const { name } of rows) await client.query(`alter table ${name} ${how} row level security`);
}
