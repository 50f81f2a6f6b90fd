import { Client } from 'pg';

/** The database that the application uses inside the embedded PostgreSQL. */
export const databaseName = 'tallyhand';

/** Creates the application's database if it does not exist; returns its URL. */
export async function ensureDatabase(superuserUrl: string): Promise<string> {
  const client = new Client({ connectionString: superuserUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ]);
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end().catch(() => {});
  }
  const url = new URL(superuserUrl);
  url.pathname = `/${databaseName}`;
  return url.href;
}
