import { roleUrl, type ServiceRole } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';
import type { TestProduct } from './product.ts';

/** Works on the product's database with the rights of a service. */
export async function connectedAs<T>(
  { config: { databaseUrl, masterKey } }: Pick<TestProduct, 'config'>,
  role: ServiceRole,
  work: (db: pg.Client) => Promise<T>,
): Promise<T> {
  const db = new pg.Client({ connectionString: roleUrl(databaseUrl, masterKey, role) });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
