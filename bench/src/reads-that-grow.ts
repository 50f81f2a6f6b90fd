import { randomUUID } from 'node:crypto';
import { start } from '@tallyhand/query-service/start';
import { fillHistory } from '@tallyhand/read-models/testing/long-history';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { httpServer } from '@tallyhand/test-kit/http-server';
import type pg from 'pg';
import { openCaller } from './http-caller.ts';
import { type KitSettings, startBackends } from './ledger-backends.ts';
import { percentile } from './load.ts';
import { signInAsAdmin } from './sign-in.ts';
import { ms, type Row, ratio, row } from './table.ts';

/** Tasks of an organization, and how many of everything else it has. */
const SIZES = [
  { tasks: 100, others: 20 },
  { tasks: 10_000, others: 500 },
  { tasks: 100_000, others: 1_000 },
] as const;
const WARM_UP_CALLS = 20;
const CALLS = 200;

/** With how many rows each answers, at 100 tasks and more. What searches texts has more time. */
const reads = {
  '/api/tasks?limit=20': 20,
  '/api/tasks?limit=100': 100,
  '/api/tasks?limit=20&status=cancelled': null,
  '/api/tasks/stats': null,
  '/api/audit?limit=50': 50,
  '/api/billing/ledger?limit=100': 100,
  '/api/notifications?limit=20': 20,
  '/api/autonomous/sessions?limit=20': 20,
  '/api/agents?limit=20': null,
  '/api/search?q=case%2077': null,
  '/api/search?q=thirty%20days': null,
  '/api/search?q=zq': 0,
  '/api/tasks?limit=20&q=zebra': 0,
} as const;

type Organization = (typeof SIZES)[number] & { readonly cookie: string };

/** The same reads of organizations with more and more history, in one database. */
export async function measureReadsThatGrow(): Promise<Row[]> {
  await using backends = await startBackends();
  const { kit } = backends;
  await using opened = new AsyncDisposableStack();
  const admin = opened.adopt(openPool(kit.databaseUrl, 2), (pool) => pool.end());
  const organizations: Organization[] = [];
  for (const size of SIZES) {
    organizations.push({ ...size, cookie: await organizationOf(admin, kit, size) });
  }
  await admin.query('vacuum analyze');
  const url = await serve(kit, opened);
  const rows: Row[] = [];
  for (const [path, length] of Object.entries(reads)) {
    const p50s: number[] = [];
    for (const organization of organizations) {
      p50s.push(await p50Of(`${url}${path}`, organization, length));
    }
    const [shortest = 0] = p50s;
    const longest = p50s.at(-1) ?? 0;
    const pass = path.includes('q=') ? '10 ms; –' : '5 ms; –';
    const sizes = SIZES.map(({ tasks }) => tasks.toLocaleString('en')).join(', ');
    rows.push(row(`${path}, ${sizes} tasks: p50`, p50s.map(ms).join(', '), pass));
    rows.push(row('the most tasks against the fewest', ratio(longest, shortest)));
  }
  return rows;
}

/** Gives the cookie of its Admin. */
async function organizationOf(
  admin: pg.Pool,
  { signingKey }: KitSettings,
  size: (typeof SIZES)[number],
): Promise<string> {
  const own = { organizationId: randomUUID(), userId: randomUUID() };
  await fillHistory(admin, { ...own, ...size });
  return `tallyhand=${await signInAsAdmin(admin, signingKey, own)}`;
}

/** The query service in this process, which does nothing else meanwhile. */
async function serve(
  { databaseUrl, masterKey, signingKey, auditKey }: KitSettings,
  opened: AsyncDisposableStack,
): Promise<string> {
  const service = opened.use(
    await start({
      databaseUrl,
      masterKey,
      signingKey,
      auditKey,
      trustProxy: false,
      publicUrl: 'http://127.0.0.1',
      rateLimitScale: 1_000,
      log: jsonLog('bench', 'warn'),
      observe: () => {},
      record: async () => {},
    }),
  );
  return opened.use(await httpServer((...call) => service.handle(...call))).origin;
}

/** Rejects unless each answer has as many rows as it should; `length` is null where that varies. */
async function p50Of(url: string, { tasks, cookie }: Organization, length: number | null) {
  using caller = await openCaller(url, 'GET', { cookie });
  const took: number[] = [];
  for (let call = 0; call < WARM_UP_CALLS + CALLS; call += 1) {
    const began = performance.now();
    const answer = JSON.parse(await caller.call());
    if (call >= WARM_UP_CALLS) took.push(performance.now() - began);
    const isRight = url.endsWith('/stats')
      ? answer.total === tasks
      : length === null || answer.length === length;
    if (!isRight) throw new Error(`${url} answered ${JSON.stringify(answer).slice(0, 200)}`);
  }
  return percentile(took, 0.5);
}
