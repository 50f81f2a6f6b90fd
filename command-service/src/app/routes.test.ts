import { startImporter } from '@tallyhand/agent-runtime/import/importer';
import { endpoints } from '@tallyhand/contracts/endpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { registerUser, signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { auditKeySource } from '@tallyhand/service-kit/audit-keys/key-settings';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { START } from '@tallyhand/service-kit/event-store/position';
import { createHttpApp, fastifyPath } from '@tallyhand/service-kit/http/app';
import { keyCalls } from '@tallyhand/service-kit/http/key-calls';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';
import { refusalCodeOf } from '@tallyhand/test-kit/api-client';
import { PgBoss } from 'pg-boss';
import { afterAll, describe, expect, it } from 'vitest';
import { taskQueue } from '../features/tasks/task-queue.ts';
import type { Kit } from '../kit/app.ts';
import type { CompletionSignals } from '../kit/completion-signals.ts';
import { HeldBytes } from '../kit/held-bytes.ts';
import { postgresIdempotency } from '../kit/idempotency.ts';
import { lastSeenOf } from '../kit/last-seen.ts';
import { mailerOf } from '../kit/mail/mailer.ts';
import { sharedQueues } from '../kit/queues.ts';
import { route } from '../kit/route.ts';
import { postgresSnapshots } from '../kit/stored-states.ts';
import { latestPosition, StreamStore } from '../kit/streams.ts';
import { postgresVault } from '../kit/vault.ts';
import { composeFeatures } from './features.ts';
import { addRoutes } from './routes.ts';
import { composeSessions } from './work.ts';

const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing';
const key = Buffer.alloc(32, 7).toString('base64url');
const log = jsonLog('test', 'silent');
const settings = {
  publicUrl: 'http://127.0.0.1:8080',
  trustProxy: false,
  rateLimitScale: 1_000,
  signingKey: key,
  auditKey: { kind: 'file', path: '/nowhere' } as const,
};

// These rules are decided before anything is read: no connection is opened.
const pool = openPool(NOWHERE);
const eventLog = openEventLog('esdb://127.0.0.1:1?tls=false');
const box = sealedBox(key);
const keys = personKeys(pool, box);
const latest = latestPosition();
const queues = sharedQueues();
const changes = new StreamChanges();
const kit: Kit = {
  settings,
  pool,
  box,
  log,
  latest,
  personKeys: keys,
  auditSigning: auditSigning({ pool, source: auditKeySource(settings.auditKey) }),
  vault: postgresVault(pool, box, keys),
  idempotency: postgresIdempotency(pool, box),
  lastSeen: lastSeenOf(pool, log),
  mail: mailerOf({ pool, box, settings: {}, log }),
  scripts: { runScript: () => Promise.reject(), dispose: async () => {} },
  queues,
  importer: startImporter(queues.imports),
  uploads: new HeldBytes(),
  readPosition: {
    current: () => START,
    reached: async () => false,
    changes,
    [Symbol.asyncDispose]: async () => {},
  },
  recordRefused: () => {},
  recordAuditor: async () => {},
  recordKeyUse: async () => {},
  credentialWatch: { watch: () => () => {}, [Symbol.asyncDispose]: async () => {} },
  keyCalls: keyCalls({ perMinute: 600, scale: 1, report: () => {} }),
  streams: new StreamStore({ eventLog, log, snapshots: postgresSnapshots(pool), latest, changes }),
};
const boss = new PgBoss({ connectionString: NOWHERE });
const app = await createHttpApp({ ...settings, log });
const completions: CompletionSignals = {
  announce: async () => {},
  wait: () => ({ ended: Promise.resolve(null), cancel() {} }),
  [Symbol.asyncDispose]: async () => {},
};
const features = await composeFeatures(kit);
addRoutes(app, kit, features, {
  boss,
  completions,
  sessions: composeSessions(kit, features, completions),
  queue: taskQueue({ boss, pool, log }),
});
const deprecated = { since: '2027-01-31', sunset: '2027-07-31', instead: 'Call `createAgent`.' };
route(app, kit, { ...createAgent, path: '/api/old-agents', deprecated }, () => expect.fail());
await app.ready();
afterAll(async () => {
  await app.close();
  await eventLog.close();
  await pool.end();
});

const commands = endpoints.filter(({ method }) => method !== 'GET');
const ids = { id: '0190b5a0-0000-7000-8000-000000000000' };

describe('the routes of the command service', () => {
  it.each(commands)('carry out $name', ({ method, path }) => {
    expect(app.hasRoute({ method, url: fastifyPath(path) })).toBe(true);
  });

  it.each(commands.filter(({ isPublic }) => !isPublic))(
    'refuse $name to callers who are not signed in, before the body is parsed',
    async (endpoint) => {
      const { method } = endpoint;
      const url = pathOf(endpoint, ids);
      const payload = endpoint.body ? { payload: { nonsense: true } } : {};
      const answer = await app.inject({ method, url, ...payload });
      expect(answer.statusCode).toBe(401);
      expect(refusalCodeOf(answer.json())).toBe('not-signed-in');
    },
  );

  it.each([registerUser, signIn])('name each field that breaks a rule: $name', async ({ path }) => {
    const answer = await app.inject({ method: 'POST', url: path, payload: { email: 'ada' } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toContainEqual({
      path: 'email',
      message: 'Please enter a valid email address',
    });
    expect(answer.json().errors).toContainEqual(expect.objectContaining({ path: 'password' }));
  });

  it('announce in every answer until when a deprecated call works', async () => {
    const create = async (url: string) =>
      (await app.inject({ method: 'POST', url, payload: {} })).headers;
    expect(await create('/api/old-agents')).toMatchObject({
      deprecation: '@1801353600',
      sunset: 'Sat, 31 Jul 2027 23:59:59 GMT',
    });
    const current = await create('/api/agents');
    expect(current).not.toHaveProperty('deprecation');
    expect(current).not.toHaveProperty('sunset');
  });

  it('take no sign-in that was not signed here', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/agents',
      payload: {},
      cookies: { tallyhand: 'forged' },
    });
    expect(answer.statusCode).toBe(401);
  });
});
