import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { freePort } from '@tallyhand/service-kit/free-port';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  apiClient,
  keyClient,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { childEnvironment } from '@tallyhand/test-kit/child';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditKeyEnvironment } from '../testing/audit-keys.ts';
import { audited } from '../testing/audit-pages.ts';
import { joinAs, newKey } from '../testing/members.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

const START_MS_MAX = 180_000;
const main = fileURLToPath(new URL('../../../query-service/src/main.ts', import.meta.url));

const parts = new AsyncDisposableStack();
let product: TestProduct;
let pool: pg.Pool;
/** Whether a separate process answers reads. */
let readsUrl: string;
let query: ChildProcess | undefined;

beforeAll(async () => {
  product = parts.use(await startTestProduct());
  pool = parts.adopt(openPool(product.config.databaseUrl, 1), (p) => p.end());
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-query-'));
  parts.defer(() => rm(folder, { recursive: true }));
  parts.defer(() => stopQuery('SIGKILL'));
});
beforeEach(async () => {
  if (isRunning()) return;
  const port = await freePort();
  readsUrl = `http://127.0.0.1:${port}`;
  const { databaseUrl, masterKey, signingKey, internalToken = '', publicUrl } = product.config;
  // Its second port, of health and metrics, is a free one.
  query = spawn(process.execPath, [main], {
    env: childEnvironment({
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      SIGNING_KEY: signingKey,
      ...auditKeyEnvironment(product.config.auditKey),
      COMMAND_SERVICE_URL: product.internalUrl,
      INTERNAL_TOKEN: internalToken,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      RATE_LIMIT_SCALE: '1000',
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const signal = AbortSignal.timeout(START_MS_MAX);
  await once(createInterface({ input: query.stdout ?? process.stdin }), 'line', { signal });
});
afterAll(() => parts.disposeAsync());

const isRunning = () => query?.exitCode === null && query.signalCode === null;

async function stopQuery(by: NodeJS.Signals) {
  if (!query || !isRunning()) return;
  const gone = once(query, 'exit');
  query.kill(by);
  await gone;
}

/** The same caller, whose reads the other process answers. */
function readingThere({ cookies }: ApiClient): ApiClient {
  const there = apiClient(readsUrl);
  for (const [name, value] of cookies) there.cookies.set(name, value);
  return there;
}

const lastSeen = async (userId: string) =>
  (
    await pool.query<{ seconds: number }>(
      `select extract(epoch from now() - last_seen_at)::float as seconds
       from operational.sign_ins where user_id = $1`,
      [userId],
    )
  ).rows[0]?.seconds;

describe('a query service in a separate process', () => {
  it('answers, and reports last-seen: the sign-in stays alive', async () => {
    const { client, user } = await registerOrganization(product.url);
    await pool.query(
      `update operational.sign_ins set last_seen_at = now() - interval '6 days'
       where user_id = $1`,
      [user.id],
    );
    expect((await readingThere(client).call(listAgents)).status).toBe(200);
    await expect.poll(() => lastSeen(user.id)).toBeLessThan(60);
  });

  it('reports refused reads', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { client: viewer, user } = await joinAs(admin, product.url, 'Viewer');
    expect((await readingThere(viewer).call(listApiKeys)).status).toBe(403);
    const callers = async () =>
      (await audited(admin, { kind: 'CallRefused' })).map((e) => e.actor.id);
    await expect.poll(callers).toEqual([user.id]);
  });

  it('reports how often a key was used, when it ends at the latest', async () => {
    const { client } = await registerOrganization(product.url);
    const { id, key } = await newKey(client, 'Viewer');
    for (let call = 0; call < 3; call += 1) {
      expect((await keyClient(readsUrl, key).call(listAgents)).status).toBe(200);
    }
    await stopQuery('SIGTERM');
    expect(query?.exitCode).toBe(0);
    const uses = async () =>
      (
        await pool.query<{ count: string }>(
          'select count from operational.api_key_uses where key_id = $1',
          [id],
        )
      ).rows.map(({ count }) => Number(count));
    await expect.poll(uses).toEqual([3]);
  });
});
