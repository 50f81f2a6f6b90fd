import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getInvitationLink,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
});

const pages = ['/', '/dashboard', '/agents/x/execute', '/early.js', '/nothing.js', '/%ff'];
const answers: [method: string, path: string][] = [
  ...['/api/user', '/api/agents', '/api/nothing', '/api/a/%ff', '/healthz', '/metrics'].map(
    (path) => ['GET', path] as [string, string],
  ),
  ...['/api/agents', '/api/login', '/api/nothing', '/'].map(
    (path) => ['POST', path] as [string, string],
  ),
  ['HEAD', '/api/agents'],
  ['OPTIONS', '/api/agents'],
];

/** A policy by its directives. */
function directivesOf(headers: Headers) {
  const policy = headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

describe('the headers of every answer', () => {
  it.each([...pages.map((path) => ['GET', path] as [string, string]), ...answers])(
    'keep other sites away: %s %s',
    async (method, path) => {
      const origin = 'https://elsewhere.example';
      const { headers } = await fetch(product.url + path, { method, headers: { origin } });
      const of = (name: string) => headers.get(name);
      expect(of('x-content-type-options')).toBe('nosniff');
      expect(of('x-frame-options')).toBe('DENY');
      expect(of('referrer-policy')).toBe('same-origin');
      expect(of('cross-origin-opener-policy')).toBe('same-origin');
      expect(of('cross-origin-resource-policy')).toBe('same-origin');
      expect(of('permissions-policy')).toMatch(/camera=\(\).*microphone=\(\).*usb=\(\)/);
      expect(of('x-powered-by') ?? of('server')).toBeNull();
      // Over plain HTTP browsers ignore it, and on a laptop it would stay behind.
      expect(of('strict-transport-security')).toBeNull();
      const shared = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
      expect(shared).toEqual([]);
      expect(of('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
    },
  );

  it.each(pages)('let a page load our own files alone: %s', async (path) => {
    const { headers } = await fetch(product.url + path);
    expect(directivesOf(headers)).toEqual({
      'default-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'object-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'manifest-src': "'self'",
      'form-action': "'self'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'named-character',
    });
  });

  it.each(answers)('let an answer of the API load nothing: %s %s', async (method, path) => {
    const { headers } = await fetch(product.url + path, { method });
    expect(directivesOf(headers)).toEqual({
      'default-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'object-src': "'none'",
      'form-action': "'none'",
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('are those of the stream of changes too', async () => {
    const stop = new AbortController();
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const options = { signal: stop.signal, headers: { cookie, 'accept-encoding': 'br' } };
    const { status, headers } = await fetch(`${product.url}/api/events`, options);
    stop.abort();
    expect([status, headers.get('content-encoding')]).toEqual([200, null]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(directivesOf(headers)['default-src']).toBe("'none'");
  });
});

describe('the length of an answer', () => {
  const compressed = async (path: string, headers: Record<string, string>) => {
    const answer = await client.send('GET', path, { headers });
    expect(answer.status).toBe(200);
    return answer.headers.get('content-encoding');
  };
  const own = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip, br' };

  it('is that of its compressed text for our own pages, and never for others', async () => {
    expect(await compressed('/api/openapi.json', own)).toBe('br');
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...own, 'sec-fetch-site': site };
      expect([site, await compressed('/api/openapi.json', headers)]).toEqual([site, null]);
    }
    expect(await compressed(getCurrentUser.path, own)).toBeNull();
    expect(await compressed(listAgents.path, own)).toBeNull();
  });

  it('reveals no tokens', async () => {
    await client.call(renewInvitationLink);
    expect(await compressed(getInvitationLink.path, own)).toBeNull();
  });
});
