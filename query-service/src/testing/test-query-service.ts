import { randomUUID } from 'node:crypto';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { plainRow } from '@tallyhand/read-models/testing/plain-row';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testAuditKey, testDatabase, testKey } from '@tallyhand/test-kit/backends';
import { httpServer } from '@tallyhand/test-kit/http-server';
import type { QuerySettings } from '../kernel/context.ts';
import { start } from '../start.ts';

export type Caller = {
  readonly organizationId: string;
  readonly userId: string;
  readonly cookie: string;
};
export type Columns = Readonly<Record<string, string | number | null>>;
export type TestQueryService = Awaited<ReturnType<typeof openTestQueryService>>;

/** A query service over rows that a test writes as database administrator. */
export async function openTestQueryService({
  record = async () => {},
}: Partial<Pick<QuerySettings, 'record'>> = {}) {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await testDatabase());
  const [masterKey, signingKey] = [testKey(), testKey()];
  const auditKey = testAuditKey();
  await migrate(database.url, masterKey);
  const admin = opening.adopt(openPool(database.url, 2), (p) => p.end());
  const query = opening.use(
    await start({
      databaseUrl: database.url,
      masterKey,
      signingKey,
      auditKey,
      trustProxy: false,
      publicUrl: 'http://127.0.0.1',
      rateLimitScale: 1_000,
      log: jsonLog('test', 'silent'),
      observe: () => {},
      record,
    }),
  );
  const { origin: url } = opening.use(await httpServer((...call) => query.handle(...call)));
  const opened = opening.move();

  async function insert(table: string, columns: Columns): Promise<void> {
    const names = Object.keys(columns);
    const places = names.map((_, index) => `$${index + 1}`);
    await admin.query(
      `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
      Object.values(columns),
    );
  }

  return {
    url,
    admin,
    auditKey,
    insert: (table: string, columns: Columns) => insert(`read_model.${table}`, columns),
    /** A signed-in user, in a new or a given organization. */
    async caller(role: Role = 'Admin', organizationId: string = randomUUID()): Promise<Caller> {
      const [userId, signInId] = [randomUUID(), randomUUID()];
      const user = { user_id: userId, organization_id: organizationId };
      const expiresAt = new Date(Date.now() + 3_600_000);
      await insert('operational.access', { ...user, role });
      await insert('operational.sign_ins', {
        ...user,
        sign_in_id: signInId,
        expires_at: expiresAt.toISOString(),
      });
      const token = await signToken(signingKey, 'sign-in', { subject: signInId, expiresAt });
      return { organizationId, userId, cookie: `tallyhand=${token}` };
    },
    async get(path: string, { cookie }: Pick<Caller, 'cookie'>, method = 'GET') {
      const response = await fetch(`${url}${path}`, { method, headers: { cookie } });
      const text = await response.text();
      const { status, headers } = response;
      const isJson = headers.get('content-type')?.includes('json');
      return { status, headers, text, body: (isJson ? JSON.parse(text) : text) as unknown };
    },
    agentNamed: (organizationId: string, agentId: string, name: string) =>
      insert('read_model.agents', {
        ...plainRow('agents'),
        is_active: 'true',
        version: 1,
        agent_id: agentId,
        organization_id: organizationId,
        name,
      }),
    entry: (organizationId: string, columns: Columns) =>
      insert('read_model.ledger_entries', {
        ...plainRow('ledger_entries'),
        sequence: 1,
        kind: 'adjusted',
        organization_id: organizationId,
        entry_id: randomUUID(),
        ...columns,
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
