import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperatorAddresses, serveWebAssets } from './web-assets.ts';

const page = '<!doctype html><title>Tallyhand</title>';
const script = `console.log("${'credits '.repeat(200)}");`;
const running = new AsyncDisposableStack();
let port: number;
let portWithForum: number;

const FORUM = 'https://forum.example.com/c/agents';

beforeAll(async () => {
  // A folder of that name above ours must not make everything in it lasting.
  const above = await mkdtemp(join(tmpdir(), 'web-'));
  running.defer(() => rm(above, { recursive: true }));
  const folder = join(above, 'assets', 'dist');
  await mkdir(join(folder, 'assets'), { recursive: true });
  for (const [name, text] of [['index.html', page] as const, ['assets/a-1.js', script] as const]) {
    await writeFile(join(folder, name), text);
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(text));
    await writeFile(join(folder, `${name}.gz`), gzipSync(text));
  }
  await writeFile(join(folder, 'plain.txt'), 'nothing beside it');
  const listen = async (addresses?: OperatorAddresses) => {
    const web = running.use(await serveWebAssets(`${folder}/`, 'http://localhost', addresses));
    return running.use(await httpServer(web.handle)).port;
  };
  port = await listen();
  portWithForum = await listen({ communityUrl: FORUM });
});
afterAll(() => running.disposeAsync());

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

/** As it comes over the wire: nothing is decompressed or followed. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const asked = request({ port, host: '127.0.0.1', path, method, headers }).end();
  const [answer] = await once(asked, 'response');
  const { statusCode: status } = answer;
  return { status, headers: answer.headers, body: await buffer(answer) } as Answer;
}

describe('a file of the web app', () => {
  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
    [undefined, 'identity', (bytes: Buffer) => bytes],
    ['gzip', 'br;q=0, gzip', gunzipSync],
  ])('is sent as %s to clients that accept %s', async (encoding, accepted, decode) => {
    const { headers, body } = await ask('/assets/a-1.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-type']).toMatch(/^(text|application)\/javascript/);
    expect(headers['content-length']).toBe(String(body.length));
    expect(decode(body).toString()).toBe(script);
    expect(headers.vary?.toLowerCase()).toBe('accept-encoding');
  });

  it('is sent uncompressed when there is no compressed copy', async () => {
    const { status, headers, body } = await ask('/plain.txt', { 'accept-encoding': 'br, gzip' });
    expect([status, headers['content-encoding'], body.toString()]).toEqual([
      200,
      undefined,
      'nothing beside it',
    ]);
  });

  it('is cached permanently when its name has a hash', async () => {
    const { headers } = await ask('/assets/a-1.js', { 'accept-encoding': 'br' });
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('is revalidated when its name is stable, and answered 304 while it is unchanged', async () => {
    for (const path of ['/', '/dashboard', '/index.html', '/plain.txt']) {
      const { status, headers } = await ask(path, { 'accept-encoding': 'br' });
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'no-cache']);
      const known = { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' };
      const again = await ask(path, known);
      expect([path, again.status, again.body.length]).toEqual([path, 304, 0]);
    }
  });

  it('has the same headers for HEAD', async () => {
    for (const path of ['/', '/dashboard', '/assets/a-1.js']) {
      const whole = await ask(path, { 'accept-encoding': 'br' });
      const head = await ask(path, { 'accept-encoding': 'br' }, 'HEAD');
      expect([path, head.status, head.body.length]).toEqual([path, 200, 0]);
      const without = ({ date: _, ...rest }: IncomingHttpHeaders) => rest;
      expect(without(head.headers)).toEqual(without(whole.headers));
    }
  });

  it('answers range requests, and 416 beyond the end', async () => {
    const part = await ask('/assets/a-1.js', { range: 'bytes=0-10' });
    expect([part.status, part.body.toString()]).toEqual([206, script.slice(0, 11)]);
    expect(part.headers['content-range']).toBe(`bytes 0-10/${script.length}`);
    expect((await ask('/assets/a-1.js', { range: 'bytes=99999-' })).status).toBe(416);
  });

  it.each(['/nowhere', '/agents/1/no-page', '/dashboard/x', '/agent'])(
    'is at no other path: %s answers 404 with the page that says so',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
        const answer = await ask(path, { ...headers, 'if-none-match': '*' }, method);
        expect([method, answer.status]).toEqual([method, 404]);
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(answer.body.toString()).toBe(method === 'GET' ? page : '');
      }
    },
  );

  it.each([
    '/agent/0190b5a0',
    '/agents/0190b5a0/execute',
    '/agents/',
    '/auth?invite=a&utm_source=b',
  ])('has the page at %s, also where a part of the path is an id', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, body } = await ask(path, {}, method);
      expect([status, body.toString()]).toEqual([200, method === 'GET' ? page : '']);
    }
  });

  it.each<[string, string, Record<string, string>]>([
    ['GET', '/v1', {}],
    ['GET', '/v1/models', { accept: 'text/html' }],
    ['GET', '/mcp', {}],
    ['GET', '/api/nothing', {}],
    ['GET', '/nowhere', { accept: 'application/json' }],
    ['GET', '/nowhere.json', { accept: 'application/json, */*' }],
    ['GET', '/nowhere', { accept: 'application/problem+json' }],
    ['POST', '/dashboard', {}],
    ['PUT', '/nowhere', {}],
    ['DELETE', '/', {}],
  ])('answers programs with a problem: %s %s', async (method, path, headers) => {
    const answer = await ask(path, headers, method);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const problem = JSON.parse(answer.body.toString());
    expect(problem).toMatchObject({ status: 404, code: 'not-found' });
    expect(problem.correlationId).toMatch(/^[\da-f-]{36}$/);
  });

  it('that is not there is no page', async () => {
    for (const path of ['/assets/gone-2.js', '/robots.txt', '/.env']) {
      const { status, headers } = await ask(path, { 'accept-encoding': 'br' });
      expect([path, status, headers['cache-control']]).toEqual([path, 404, 'no-store']);
    }
  });

  it('is never one outside the folder', async () => {
    for (const path of [
      '/../assets',
      '/..%2f..%2fetc%2fpasswd',
      '/assets/..%5c..%5cx',
      '//etc/a',
    ]) {
      const { status, body } = await ask(path);
      expect([path, status === 200 && body.toString() !== page]).toEqual([path, false]);
    }
  });
});

describe('the community', () => {
  it('is the forum of the setting, or the support form without one', async () => {
    const led = async (at: number) => {
      const { status, headers } = await fetch(`http://127.0.0.1:${at}/community`, {
        redirect: 'manual',
      });
      return [status, headers.get('location')];
    };
    expect(await led(portWithForum)).toEqual([302, FORUM]);
    expect(await led(port)).toEqual([302, '/contact?category=general']);
  });
});
