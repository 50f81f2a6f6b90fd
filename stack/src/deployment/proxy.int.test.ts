import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type RequestListener, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tallyhand/service-kit/free-port';
import { listen } from '@tallyhand/service-kit/http/server';
import { describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readFile, root } from '../testing/compose-file.ts';

const hasCaddy = spawnSync('caddy', ['version'], { timeout: 20_000 }).status === 0;

/** Replaces a service, on a separate address, and reports what arrived. */
type Stand = { readonly name: string; readonly host: string; isReady: boolean; isGone: boolean };
const stand = (name: string, host: string): Stand => ({ name, host, isReady: true, isGone: false });
const stands = {
  commands: [stand('command-1', '127.0.2.1'), stand('command-2', '127.0.2.2')],
  queries: [stand('query-1', '127.0.2.3'), stand('query-2', '127.0.2.4')],
  runners: [stand('runner', '127.0.2.5')],
  webs: [stand('web', '127.0.2.6')],
};
const all = Object.values(stands).flat();

type Answer = {
  readonly status: number;
  /** Which instance took the call, and the caller's address that it was given. */
  readonly by?: unknown;
  readonly forwardedFor?: unknown;
  readonly server?: unknown;
};

const opened = new AsyncDisposableStack();
let proxyPort: number;
let metricsPort: number;
let caddy: ChildProcess;

const answering =
  (one: Stand): RequestListener =>
  (incoming, response) => {
    if (one.isGone) return void incoming.socket.destroy();
    response.setHeader('taken-by', one.name);
    response.setHeader('forwarded-for', incoming.headers['x-forwarded-for'] ?? '');
    response.end();
  };

const sayingReady =
  (one: Stand): RequestListener =>
  ({ url }, response) => {
    response.statusCode = one.isReady && url === '/readyz' ? 200 : 503;
    response.end();
  };

async function call(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: proxyPort, path, method, headers }, resolve);
    sent.once('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
  answer.resume();
  const { server, 'taken-by': by, 'forwarded-for': forwardedFor } = answer.headers;
  return { by, forwardedFor, server, status: answer.statusCode ?? 0 };
}

async function whoTakes(path: string, method = 'GET') {
  return (await call(path, { method })).by;
}

describeIf(hasCaddy, 'Caddy')('the proxy of the scaled deployment', () => {
  beforeAll(async () => {
    proxyPort = await freePort();
    metricsPort = await freePort();
    const [port, internalPort] = [await freePort(), await freePort()];
    for (const one of all) {
      opened.use(await listen(answering(one), { port, host: one.host }));
      opened.use(await listen(sayingReady(one), { port: internalPort, host: one.host }));
    }
    const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const at = (of: readonly Stand[]) => of.map(({ host }) => `${host}:${port}`).join(' ');
    caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', 'docker/Caddyfile'], {
      cwd: fileURLToPath(root),
      env: {
        HOME: folder,
        PATH: '/usr/bin:/usr/local/bin:/bin',
        ADMIN_ADDRESS: 'off',
        DOMAIN: `http://127.0.0.1:${proxyPort}`,
        INTERNAL_PORT: String(internalPort),
        HTTP_PORT: String(proxyPort),
        HTTPS_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
        COMMAND_SERVICES: at(stands.commands),
        QUERY_SERVICES: at(stands.queries),
        BROWSER_RUNNERS: at(stands.runners),
        WEBS: at(stands.webs),
      },
      stdio: 'ignore',
    });
    const isUp = () =>
      call('/').then(
        ({ status }) => status === 200,
        () => false,
      );
    await vi.waitUntil(isUp);
  });
  afterAll(async () => {
    caddy?.kill('SIGKILL');
    await opened[Symbol.asyncDispose]();
  });

  it('sends reads, commands, sockets and pages their own ways', async () => {
    expect(await whoTakes('/api/agents')).toMatch(/^query-/);
    expect(await whoTakes('/v1/models')).toMatch(/^query-/);
    expect(await whoTakes('/api/agents', 'HEAD')).toMatch(/^query-/);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(await whoTakes('/api/agents', method)).toMatch(/^command-/);
    }
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
      expect(await whoTakes(path)).toMatch(/^command-/);
    }
    expect(await whoTakes('/ws/browser')).toBe('runner');
    for (const path of ['/', '/api', '/agents', '/assets/a.js', '/ws/browsers']) {
      expect(await whoTakes(path)).toBe('web');
    }
  });

  it.each([
    '/internal',
    '/internal/observations',
    '/metrics',
    '/healthz',
    '/readyz',
    '//internal/observations',
    '/INTERNAL/observations',
    '/x/../internal/observations',
    '/%69nternal/observations',
  ])('hides %s from outside', async (path) => {
    for (const method of ['GET', 'POST']) {
      expect(await call(path, { method })).toEqual({ status: 404 });
    }
  });

  it("reports the caller's address, whatever the caller claims", async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const { forwardedFor, server } = await call('/api/agents', { headers });
    expect(forwardedFor).toBe('127.0.0.1');
    expect(server).toBeUndefined();
  });

  it('alternates between instances, and leaves out those that are not ready', async () => {
    const [first] = stands.commands;
    const takers = async () => {
      const names = await Promise.all(Array.from({ length: 8 }, () => whoTakes('/api/a', 'POST')));
      return [...new Set(names)].toSorted();
    };
    await expect.poll(takers).toEqual(['command-1', 'command-2']);
    if (first) first.isReady = false;
    await expect.poll(takers).toEqual(['command-2']);
    if (first) first.isReady = true;
    await expect.poll(takers).toEqual(['command-1', 'command-2']);
  });

  it('serves the metrics of alerts and the dashboard at a separate port', async () => {
    await whoTakes('/api/agents');
    const shown = ['ops/prometheus/alerts.yml', 'ops/grafana/tallyhand.json'].map(readFile).join();
    const names = new Set(shown.match(/caddy_\w+/g));
    expect(names.size).toBeGreaterThan(1);
    const at = (path: string) => fetch(`http://127.0.0.1:${metricsPort}${path}`);
    const metrics = await (await at('/metrics')).text();
    for (const name of names) expect(metrics).toContain(`\n${name}{`);
    expect(metrics).toMatch(/^caddy_http_request_duration_seconds_count\{code="200",/m);
    expect(metrics).toMatch(
      /^caddy_reverse_proxy_upstreams_healthy\{.*upstream="127.0.2.1:\d+"\} 1$/m,
    );
    expect((await at('/api/agents')).status).toBe(404);
  });

  it('retries an interrupted read at another instance, and never a command', async () => {
    const [query] = stands.queries;
    if (query) query.isGone = true;
    for (const _ of Array.from({ length: 4 }))
      expect(await whoTakes('/api/agents')).toBe('query-2');
    if (query) query.isGone = false;
    const [command] = stands.commands;
    if (command) command.isGone = true;
    const posts = await Promise.all(
      Array.from({ length: 8 }, () => call('/api/agents', { method: 'POST' })),
    );
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set([200, 502]));
    if (command) command.isGone = false;
  });
});
