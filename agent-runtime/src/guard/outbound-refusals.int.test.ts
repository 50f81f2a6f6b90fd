import type { RequestListener } from 'node:http';
import { networkInterfaces } from 'node:os';
import { freePort } from '@tallyhand/service-kit/free-port';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { parseAllowedHosts } from './allowed-hosts.ts';
import { guardedLookup, type OutboundPolicy } from './destination.ts';
import { guardedFetch, type OutboundInit } from './guarded-fetch.ts';

const ok: RequestListener = (_request, response) => void response.end('ok');
/** Non-ASCII places are sent as the bytes of UTF-8, as servers in the wild do. */
const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location: Buffer.from(location).toString('latin1') }).end();

const closed: OutboundPolicy = { ownOrigins: [], allowedHosts: [] };
const allowing = (list: string, more: Partial<OutboundPolicy> = {}): OutboundPolicy => ({
  ownOrigins: [],
  allowedHosts: parseAllowedHosts(list),
  ...more,
});

const refused = (reason: string) => ({ name: 'OutboundRefused', reason });
const get = (url: string, policy: OutboundPolicy, init: OutboundInit = {}) =>
  guardedFetch(url, init, policy).then((response) => response.text());

/** Addresses of the server that every form below leads to, `PORT` being its port. */
const forms: [string, string[]][] = [
  ['loopback', ['http://127.0.0.1:PORT', 'http://127.9.8.7:PORT', 'http://[::1]:PORT']],
  ['names', ['http://localhost:PORT', 'http://LOCALHOST:PORT', 'http://a.localhost:PORT']],
  ['decimal', ['http://2130706433:PORT', 'http://127.1:PORT', 'http://127.0.1:PORT']],
  ['octal', ['http://0177.0.0.1:PORT', 'http://017700000001:PORT', 'http://0177.1:PORT']],
  ['hexadecimal', ['http://0x7f.0.0.1:PORT', 'http://0x7f000001:PORT', 'http://0x7f.1:PORT']],
  ['mixed', ['http://0x7f.00.0.01:PORT', 'http://127.0.0x0.1:PORT']],
  ['encoded', ['http://%31%32%37.0.0.1:PORT', 'http://127%2e0%2e0%2e1:PORT']],
  ['look-alikes', ['http://127。0。0。1:PORT', 'http://127.0.0.1:PORT', 'http://①②⑦.0.0.1:PORT']],
  ['unspecified', ['http://0.0.0.0:PORT', 'http://0:PORT', 'http://[::]:PORT']],
  ['mapped', ['http://[::ffff:127.0.0.1]:PORT', 'http://[::ffff:7f00:1]:PORT']],
  ['compatible', ['http://[::127.0.0.1]:PORT', 'http://[::ffff:0:127.0.0.1]:PORT']],
  ['6to4', ['http://[2002:7f00:1::]:PORT']],
  ['NAT64', ['http://[64:ff9b::127.0.0.1]:PORT', 'http://[64:ff9b:1::7f00:1]:PORT']],
  ['Teredo', ['http://[2001:0:7f00:1::]:PORT']],
  ['trailing dots', ['http://127.0.0.1.:PORT', 'http://localhost.:PORT', 'http://a.test.:PORT']],
  ['user info', ['http://8.8.8.8@127.0.0.1:PORT', 'http://a:b@a.test:PORT', 'http://@@a.test']],
  ['slashes', ['http:\\\\127.0.0.1:PORT', 'http:127.0.0.1:PORT', 'http:/\t/127.0.0.1:PORT']],
  ['private', ['http://10.0.0.1:PORT', 'http://172.16.0.1:PORT', 'http://192.168.0.1:PORT']],
  ['link-local', ['http://169.254.1.1:PORT', 'http://[fe80::1]:PORT']],
  ['shared', ['http://100.64.0.1:PORT']],
  ['metadata', ['http://169.254.169.254', 'http://2852039166', 'http://[fd00:ec2::254]']],
  ['multicast', ['http://224.0.0.1:PORT', 'http://[ff02::1]:PORT']],
  ['reserved', ['http://240.0.0.1:PORT', 'http://255.255.255.255:PORT']],
  ['schemes', ['ftp://127.0.0.1:PORT', 'file:///etc/passwd', 'data:,x', 'unix:/tmp/x']],
];
const written = (form: string, port: number) => form.replaceAll('PORT', `${port}`);

describe('the outcome of a request', () => {
  it('is reported with a reason, and without the address', async () => {
    await using server = await localServer(ok);
    const outcomes: string[] = [];
    const onOutbound: OutboundPolicy['onOutbound'] = (...end) => outcomes.push(end.join(' '));
    await get(server.origin, allowing('127.0.0.1', { onOutbound }));
    for (const url of [server.origin, 'ftp://127.0.0.1', 'http://nowhere.invalid']) {
      const resolve = async () => [];
      await expect(get(url, { ...closed, resolve, onOutbound })).rejects.toThrow();
    }
    expect(outcomes).toEqual([
      'answered none',
      'refused private-address',
      'refused scheme',
      'failed dns',
    ]);
  });
});

describe('refused addresses', () => {
  it.each(forms)('see no connection: %s', async (_kind, list) => {
    await using four = await localServer(ok);
    await using six = await localServer(ok, '::1', four.port);
    for (const form of list) {
      const attempt = get(written(form, four.port), closed);
      await expect(attempt, form).rejects.toMatchObject({ name: 'OutboundRefused' });
    }
    expect(four.connections + six.connections).toBe(0);
  });

  it.each(forms)('see no connection when an answer redirects there: %s', async (_kind, list) => {
    await using forbidden = await localServer(ok);
    await using six = await localServer(ok, '::1', forbidden.port);
    for (const form of list) {
      await using open = await localServer(redirectTo(written(form, forbidden.port)), '127.0.0.2');
      const attempt = get(open.origin, allowing(`127.0.0.2:${open.port}`));
      await expect(attempt, form).rejects.toMatchObject({ name: 'OutboundRefused' });
      expect(open.requests).toHaveLength(1);
    }
    expect(forbidden.connections + six.connections).toBe(0);
  });

  it('see no connection when a name resolves there', async () => {
    await using forbidden = await localServer(ok);
    const answers = [['127.0.0.1'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['0.0.0.0']];
    for (const answer of answers) {
      const policy = { ...closed, resolve: async () => answer };
      const attempt = get(`http://harmless.test:${forbidden.port}`, policy);
      await expect(attempt).rejects.toMatchObject({
        ...refused('private-address'),
        message: 'harmless.test leads to a private address.',
      });
    }
    expect(forbidden.connections).toBe(0);
  });
});

describe('rebinding', () => {
  /** Resolves to the allowed address once, and to the forbidden one ever after. */
  function rebinding() {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
    };
    return { asked, resolve };
  }

  it('finds nothing, because the checked address is the one connected to', async () => {
    await using forbidden = await localServer(ok);
    await using open = await localServer(ok, '127.0.0.2', forbidden.port);
    const { asked, resolve } = rebinding();
    const url = `http://rebind.test:${open.port}`;
    expect(await get(url, allowing('127.0.0.2', { resolve }))).toBe('ok');
    expect(asked).toEqual(['rebind.test']);
    expect([open.connections, forbidden.connections]).toEqual([1, 0]);
    expect(open.requests[0]?.headers.host).toBe(`rebind.test:${open.port}`);
  });

  it('finds nothing between two redirects to the same name', async () => {
    await using forbidden = await localServer(ok);
    await using open = await localServer(redirectTo('/again'), '127.0.0.2', forbidden.port);
    const { asked, resolve } = rebinding();
    const attempt = get(`http://rebind.test:${open.port}`, allowing('127.0.0.2', { resolve }));
    await expect(attempt).rejects.toMatchObject(refused('private-address'));
    expect(asked).toHaveLength(2);
    expect([open.connections, forbidden.connections]).toEqual([1, 0]);
  });
});

describe('allowed private hosts', () => {
  it.each(['127.0.0.1', '127.0.0.0/8', '127.0.0.1:PORT', 'inside.test', 'inside.test:PORT'])(
    'are reached: %s',
    async (entry) => {
      await using server = await localServer(ok);
      const policy = allowing(written(entry, server.port), { resolve: async () => ['127.0.0.1'] });
      expect(await get(`http://inside.test:${server.port}`, policy)).toBe('ok');
    },
  );

  it.each(['127.0.0.1:1', '127.0.0.2', 'inside.test:1', 'test', 'other.test'])(
    'let no other through: %s',
    async (entry) => {
      await using server = await localServer(ok);
      const policy = allowing(entry, { resolve: async () => ['127.0.0.1'] });
      const attempt = get(`http://inside.test:${server.port}`, policy);
      await expect(attempt).rejects.toMatchObject(refused('private-address'));
      expect(server.connections).toBe(0);
    },
  );

  it('reach localhost by its name, whichever version it listens with', async () => {
    for (const host of ['127.0.0.1', '::1']) {
      // Where no other program listens with the other version.
      await using server = await localServer(ok, host, await freePort());
      expect(await get(`http://localhost:${server.port}`, allowing('localhost'))).toBe('ok');
    }
  });
});

describe('our own origin', () => {
  const everything = '0.0.0.0/0,::/0,localhost,our.test,alias.test';

  it.each([
    ['http://127.0.0.1:PORT', ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]', 'alias.test']],
    ['http://localhost:PORT', ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0']],
    ['http://0.0.0.0:PORT', ['127.0.0.1', '127.0.0.2', 'localhost', '[::]', 'alias.test']],
    ['http://our.test:PORT', ['our.test', 'OUR.test', 'our.te%73t']],
  ])('%s is never reached, even where all is allowed', async (own, hosts) => {
    await using server = await localServer(ok, '0.0.0.0');
    const policy = allowing(everything, {
      ownOrigins: [written(own, server.port)],
      resolve: async () => ['127.0.0.1'],
    });
    const local = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    const ours = local.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    const isName = own.includes('our.test');
    for (const host of [...hosts, ...(isName ? [] : ours)]) {
      const attempt = get(`http://${host}:${server.port}`, policy);
      await expect(attempt, host).rejects.toMatchObject(refused('own-origin'));
    }
    expect(server.connections).toBe(0);
  });

  it('is not reached by a redirect', async () => {
    await using own = await localServer(ok);
    await using open = await localServer(redirectTo(own.origin));
    const policy = allowing('127.0.0.0/8', { ownOrigins: [own.origin] });
    await expect(get(open.origin, policy)).rejects.toMatchObject(refused('own-origin'));
    expect(own.connections).toBe(0);
  });

  it('covers both schemes of a public name', async () => {
    const policy = { ...closed, ownOrigins: ['https://app.test'] };
    for (const url of ['https://app.test', 'http://app.test/login', 'https://app.test:443']) {
      await expect(get(url, policy)).rejects.toMatchObject(refused('own-origin'));
    }
  });

  it('does not cover other services at the same machine', async () => {
    await using server = await localServer(ok);
    const policy = allowing('127.0.0.1', { ownOrigins: ['http://127.0.0.1:1'] });
    expect(await get(server.origin, policy)).toBe('ok');
  });
});

describe('redirects', () => {
  const policy = allowing('127.0.0.0/8');

  it('end after five', async () => {
    await using server = await localServer(redirectTo('/round'));
    await expect(get(server.origin, policy)).rejects.toMatchObject({ kind: 'redirects' });
    expect(server.requests).toHaveLength(6);
    await server.idle();
  });

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('with %i make a %s a %s', async (status, method, expected) => {
    await using server = await localServer((request, response) =>
      (request.url === '/' ? redirectTo('/next', status) : ok)(request, response),
    );
    const body = method === 'HEAD' ? undefined : '{}';
    const headers = { 'content-type': 'application/json', authorization: 'secret' };
    await get(server.origin, policy, { method, headers, body });
    const [, next] = server.requests;
    expect(next).toMatchObject({ method: expected, headers: { authorization: 'secret' } });
    const keepsBody = expected === method && method !== 'HEAD';
    expect(next?.body).toBe(keepsBody ? '{}' : '');
    if (expected === 'GET') expect(next?.headers).not.toHaveProperty('content-type');
  });

  it('take no credentials to another origin', async () => {
    await using other = await localServer(ok);
    await using server = await localServer(redirectTo(other.origin, 307), '127.0.0.2');
    const headers = {
      Authorization: 'secret',
      Cookie: 'secret',
      'X-Api-Key': 'secret',
      Accept: 'text/html',
    };
    await get(server.origin, policy, { method: 'POST', headers, body: 'kept' });
    expect(JSON.stringify(server.requests)).toContain('secret');
    expect(other.requests).toMatchObject([{ body: 'kept', headers: { accept: 'text/html' } }]);
    expect(JSON.stringify(other.requests)).not.toContain('secret');
  });

  it('are followed only where the caller allows it', async () => {
    await using server = await localServer(redirectTo('/elsewhere'));
    const init = { mayFollow: (url: URL) => url.pathname.startsWith('/here') };
    await expect(get(server.origin, policy, init)).rejects.toMatchObject(refused('redirect'));
    expect(server.requests).toHaveLength(1);
  });

  it('without a place are answers', async () => {
    await using server = await localServer((_request, response) =>
      response.writeHead(302).end('where?'),
    );
    expect(await get(server.origin, policy)).toBe('where?');
  });
});

describe('guardedLookup', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '::1',
    '0x7f.1',
    '2130706433',
    '127.0.0.1.',
    'mail.test.',
    'a b',
    '',
    'mail.test/x',
    'user@mail.test',
    'fe80::1%lo',
  ])('refuses %j', async (host) => {
    const policy = { ...closed, resolve: async () => ['8.8.8.8'] };
    await expect(guardedLookup(host, 993, policy)).rejects.toMatchObject({
      name: 'OutboundRefused',
    });
  });

  it('returns the addresses to connect to', async () => {
    const resolve = async () => ['8.8.8.8', '2606:4700::1111'];
    expect(await guardedLookup('mail.test', 993, { ...closed, resolve })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('fails when a name has no address', async () => {
    const policy = { ...closed, resolve: async () => [] };
    await expect(guardedLookup('mail.test', 993, policy)).rejects.toMatchObject({ kind: 'dns' });
  });
});
