import { roleName } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { routineRights, tableRights, tables } from '../testing/database-rights.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { connectedAs } from '../testing/service-connection.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await sharedProduct();
});

describe.each(['query', 'command', 'projector'] as const)('the role %s', (role) => {
  it('has the rights on tables and functions that are listed here, and no others', async () => {
    const { databaseUrl } = product.config;
    await using admin = Object.assign(new pg.Client({ connectionString: databaseUrl }), {
      async [Symbol.asyncDispose](this: pg.Client) {
        await this.end();
      },
    });
    await admin.connect();
    const { rows: granted } = await admin.query<{ granted: string }>(
      `select table_schema || '.' || table_name || ' ' || lower(privilege_type) as granted
       from information_schema.role_table_grants where grantee = $1 and table_schema <> 'jobs'`,
      [roleName(databaseUrl, role)],
    );
    expect(granted.map((row) => row.granted).toSorted()).toEqual(tableRights[role].toSorted());
    // What everyone may execute counts too.
    const { rows: callable } = await admin.query<{ name: string }>(
      `select distinct n.nspname || '.' || regexp_replace(p.proname, '_[0-9a-f]{12}$', '') as name
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('operational', 'read_model', 'public')
         and has_function_privilege($1, p.oid, 'execute')
         and has_schema_privilege($1, n.oid, 'usage')`,
      [roleName(databaseUrl, role)],
    );
    expect(callable.map((row) => row.name).toSorted()).toEqual(routineRights[role].toSorted());
    const { rows: jobs } = await admin.query<{ usable: boolean }>(
      `select has_schema_privilege($1, 'jobs', 'usage') as usable`,
      [roleName(databaseUrl, role)],
    );
    expect(jobs).toEqual([{ usable: role === 'command' }]);
  });

  it('is no superuser, creates nothing, and owns nothing', async () => {
    await connectedAs(product, role, async (db) => {
      const { rows } = await db.query(
        `select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication,
           (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
         from pg_roles r where rolname = current_user`,
      );
      expect(rows).toEqual([
        {
          rolsuper: false,
          rolcreatedb: false,
          rolcreaterole: false,
          rolbypassrls: false,
          rolreplication: false,
          owned: 0,
        },
      ]);
      for (const schema of ['read_model', 'operational', 'jobs', 'public']) {
        const made = db.query(`create table ${schema}.of_mine (id int)`);
        await expect(made).rejects.toThrow('permission denied');
      }
    });
  });

  it('writes nothing that is not its own', async () => {
    await connectedAs(product, role, async (db) => {
      const foreign = role === 'projector' ? ['operational.access', 'operational.blobs'] : [];
      const readOnly = role === 'projector' ? [] : tables.map((table) => `read_model.${table}`);
      for (const table of [...foreign, ...readOnly]) {
        await expect(db.query(`delete from ${table}`)).rejects.toThrow('permission denied');
      }
    });
  });
});

describe('a statement', () => {
  it.each([
    ['command', '30s'],
    ['query', '30s'],
    ['projector', '0'],
  ] as const)('of the role %s runs no longer than %s', async (role, limit) => {
    await connectedAs(product, role, async (db) => {
      const { rows } = await db.query<{ statement_timeout: string }>('show statement_timeout');
      expect(rows[0]?.statement_timeout).toBe(limit);
    });
  });
});
