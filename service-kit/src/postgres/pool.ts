import pg from 'pg';
import { derivedPassword } from '../crypto/sealed-box.ts';
import { gauge } from '../metrics/instruments.ts';

/** The services' database roles; each has its own rights, granted by name. */
export type ServiceRole = 'command' | 'projector' | 'query';

/** Roles belong to the whole server, so a role's name begins with its database's. */
export const roleName = (databaseUrl: string, role: ServiceRole) =>
  `${decodeURIComponent(new URL(databaseUrl).pathname.slice(1))}_${role}`;

/** Derived from the master key, so that every service knows its own without a setting. */
export const rolePassword = (masterKey: string, role: ServiceRole) =>
  derivedPassword(masterKey, `database role ${role}`);

/** The address of the database as one service uses it. */
export function roleUrl(databaseUrl: string, masterKey: string, role: ServiceRole): string {
  const url = new URL(databaseUrl);
  url.username = roleName(databaseUrl, role);
  url.password = rolePassword(masterKey, role);
  return url.href;
}

const CONNECTIONS_MAX = 8;

/** `Client`: a kind of connection of one's own. `onConnect` prepares each before it is used. */
export function openPool(
  url: string,
  connectionsMax: number = CONNECTIONS_MAX,
  Client: typeof pg.Client = pg.Client,
  onConnect: (client: pg.ClientBase) => Promise<unknown> | null = () => null,
): pg.Pool {
  const pool = new pg.Pool({
    Client,
    onConnect,
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A lost idle connection is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {});
  // While a client is checked out the pool does not listen; its query fails all the same.
  pool.on('connect', (client) => client.on('error', () => {}));
  measurePool(pool, url);
  return pool;
}

/** Runs `work` in a transaction: all of it, or nothing. */
export const inTransaction = <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  orRolledBack(pool, async (client) => {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  });

/** Runs `work`, which begins and ends a transaction itself; when it fails, nothing of it stays. */
export async function orRolledBack<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => {
      broken = fault;
    });
    if (isStalePlan(error)) broken ??= error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Whether a prepared statement of the connection returns other columns now, since a table was
 * replaced. It fails until another connection prepares it.
 */
export const isStalePlan = (error: unknown): error is Error =>
  error instanceof Error && /^cached plan must not change result type/.test(error.message);

/** In a transaction in which row-level security is limited to this organization's rows. */
export function inTenant<T>(
  pool: pg.Pool,
  organizationId: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query(`select set_config('tallyhand.organization_id', $1, true)`, [
      organizationId,
    ]);
    return work(client);
  });
}

/** Whether PostgreSQL is out of reach, as against a wrong statement. */
export function isConnectionFault(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (syscall === 'connect') return true;
  if (typeof code === 'string' && /^(08|57P|53300|ECONN|EPIPE|ETIMEDOUT)/.test(code)) return true;
  return error instanceof Error && /timeout exceeded|Connection terminated/.test(error.message);
}

/** The pools of this process, and as which role each connects. */
const pools = new Map<pg.Pool, string>();

/** Reports how busy a pool is, until it has ended. */
function measurePool(pool: pg.Pool, url: string): void {
  pools.set(pool, roleOf(url));
}

/** Roles outside the services, such as the migration's, share one label. */
const roleOf = (url: string) =>
  /_(command|projector|query)$/.exec(new URL(url).username)?.[1] ?? 'other';

gauge({
  name: 'tallyhand_postgres_pool',
  help: 'Connections to PostgreSQL by role, busy or free, and the work that waits for one.',
  read() {
    const sums = new Map<string, { labels: { role: string; state: string }; value: number }>();
    for (const [pool, role] of pools) {
      if (pool.ended) pools.delete(pool);
      for (const [state, count] of pool.ended ? [] : statesOf(pool)) {
        const sum = sums.get(`${role} ${state}`) ?? { labels: { role, state }, value: 0 };
        sum.value += count;
        sums.set(`${role} ${state}`, sum);
      }
    }
    return [...sums.values()];
  },
});

const statesOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) =>
  [
    ['busy', totalCount - idleCount],
    ['free', idleCount],
    ['waiting', waitingCount],
  ] as const;
