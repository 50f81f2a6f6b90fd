import { endpoints } from '@tallyhand/contracts/endpoints';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { deprecationHeaders, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { auditKeySource } from '@tallyhand/service-kit/audit-keys/key-settings';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { START } from '@tallyhand/service-kit/event-store/position';
import { createHttpApp, fastifyPath } from '@tallyhand/service-kit/http/app';
import { keyCalls } from '@tallyhand/service-kit/http/key-calls';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';
import { refusalCodeOf } from '@tallyhand/test-kit/api-client';
import { afterAll, describe, expect, it } from 'vitest';
import type { QueryContext } from '../kernel/context.ts';
import { liveChanges } from '../kernel/live-changes.ts';
import { route } from '../kernel/route.ts';
import { addRoutes } from './routes.ts';

const settings = {
  publicUrl: 'http://127.0.0.1:8080',
  trustProxy: false,
  rateLimitScale: 1,
  observe: () => {},
  record: async () => {},
  signingKey: Buffer.alloc(32, 7).toString('base64url'),
  auditKey: { kind: 'file', path: '/nowhere' } as const,
  log: jsonLog('test', 'silent'),
};
const reads = endpoints.filter(({ method }) => method === 'GET');
const ids = { id: '0190b5a0-0000-7000-8000-000000000000', token: 'token' };

// These rules are decided before a read: the pool never connects, nothing is projected.
const pool = openPool('postgres://nobody@127.0.0.1:1/nothing');
const app = await createHttpApp(settings);
const context: QueryContext = {
  settings,
  pool,
  lines: pool,
  box: sealedBox(settings.signingKey),
  auditSigning: auditSigning({ pool, source: auditKeySource(settings.auditKey) }),
  noteSeen: () => {},
  keyCalls: keyCalls({ perMinute: 600, scale: 1, report: () => {} }),
  readPosition: {
    current: () => START,
    reached: async () => false,
    changes: new StreamChanges(),
    [Symbol.asyncDispose]: async () => {},
  },
};
const live = liveChanges(pool, settings);
addRoutes(app, context, live);
const deprecated = { since: '2027-01-31', sunset: '2027-07-31', instead: 'Call `listAgents`.' };
route(app, context, { ...listAgents, path: '/api/old-agents', deprecated }, async () => ({
  kind: 'rows',
  body: '[]',
}));
await app.ready();
afterAll(async () => {
  await app.close();
  await live[Symbol.asyncDispose]();
  await pool.end();
});

describe('the routes of the query service', () => {
  it.each(reads)('serve $name', ({ path }) => {
    expect(app.hasRoute({ method: 'GET', url: fastifyPath(path) })).toBe(true);
    expect(app.hasRoute({ method: 'HEAD', url: fastifyPath(path) })).toBe(true);
  });

  it.each(reads.filter(({ isPublic }) => !isPublic))(
    'refuse $name to callers who are not signed in, before anything else is checked',
    async (endpoint) => {
      const far = { 'tallyhand-at-least': 'C999-P999' };
      const url = `${pathOf(endpoint, ids)}?limit=nonsense`;
      const answer = await app.inject({ url, headers: far });
      expect(answer.statusCode).toBe(401);
      expect(refusalCodeOf(answer.json())).toBe('not-signed-in');
    },
  );

  it("ask the caller to wait when the views lack the caller's last change", async () => {
    const subject = '0190b5a0-0000-7000-8000-000000000001';
    const expiresAt = new Date(Date.now() + 60_000);
    const token = await signToken(settings.signingKey, 'sign-in', { subject, expiresAt });
    const answer = await app.inject({
      url: '/api/agents',
      cookies: { tallyhand: token, tallyhand_position: 'C5-P5' },
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({ code: 'read-models-behind' });
  });

  it('accept no invitation that was not signed here', async () => {
    const answer = await app.inject('/api/invitation-tokens/forged');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ detail: 'There is no such invitation.' });
  });

  it('serve the API document to everyone', async () => {
    const answer = await app.inject('/api/openapi.json');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ openapi: '3.1.0' });
  });

  it('announce in every answer until when a deprecated call works', async () => {
    const { statusCode, headers } = await app.inject('/api/old-agents');
    expect(statusCode).toBe(401);
    expect(headers).toMatchObject(deprecationHeaders({ deprecated }));
    expect(headers.sunset).toBe('Sat, 31 Jul 2027 23:59:59 GMT');
    expect((await app.inject('/api/agents')).headers).not.toHaveProperty('sunset');
  });

  it('answer an unknown path with a problem', async () => {
    const answer = await app.inject('/api/nothing');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });
});
