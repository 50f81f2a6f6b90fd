import type { RequestListener } from 'node:http';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { parseAllowedHosts } from '../guard/allowed-hosts.ts';
import { guardedFetch } from '../guard/guarded-fetch.ts';
import { pdfOf } from './fixtures/pdf.ts';
import { testImporter } from './fixtures/test-importer.ts';
import type { PageFetch, PageToImport } from './importer.ts';

const fetchWith =
  (allowed: string): PageFetch =>
  (url, init) =>
    guardedFetch(url, init, { ownOrigins: [], allowedHosts: parseAllowedHosts(allowed) });

/** Imports a path of a real server on this machine. */
async function importFrom(answer: RequestListener, path = '/', more: Partial<PageToImport> = {}) {
  await using server = await localServer(answer);
  await using importer = testImporter();
  const url = `${server.origin}${path}`;
  const page = await importer.importPage({
    organizationId: 'one',
    url,
    fetch: fetchWith('127.0.0.1'),
    ...more,
  });
  return { ...page, url: page.url.replace(server.origin, '') };
}

const send =
  (type: string | undefined, body: string | Buffer, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);

describe('importPage', () => {
  it('returns the text of a page and its final address', async () => {
    const page = '<title>T</title><nav>n</nav><p>See <a href="next">the next</a>.';
    const answer: RequestListener = (request, response) => {
      if (request.url === '/docs/page') send('text/html', page)(request, response);
      else response.writeHead(302, { location: '/docs/page' }).end();
    };
    const { markdown, ...rest } = await importFrom(answer, '/old');
    expect(rest).toEqual({ title: 'T', kind: 'html', warnings: [], url: '/docs/page' });
    expect(markdown).toMatch(/^See \[the next\]\(http:\/\/127\.0\.0\.1:\d+\/docs\/next\)\.$/);
  });

  it.each([
    ['the header', 'text/html; charset="windows-1251"', '<p>'],
    ['the page', 'text/html', '<meta charset="windows-1251"><p>'],
    ['the header before the page', 'text/html;charset=windows-1251', '<meta charset=utf-8><p>'],
  ])('takes the charset from %s', async (_name, type, start) => {
    const body = Buffer.concat([Buffer.from(start), Buffer.from([0xcf, 0xf0, 0xe8])]);
    expect((await importFrom(send(type, body))).markdown).toBe('При');
  });

  it.each([
    ['text/html', '/a.pdf', '<h1>x</h1>', 'html'],
    ['application/xhtml+xml', '/', '<h1>x</h1>', 'html'],
    ['text/plain; charset=utf-8', '/README.md', '# x', 'markdown'],
    ['text/markdown', '/a.txt', '# x', 'markdown'],
    ['text/plain', '/a.html', 'x', 'text'],
    [undefined, '/a.md?x=1', '# x', 'markdown'],
    [undefined, '/', '<!doctype html><h1>x</h1>', 'html'],
  ])('reads %s at %s', async (type, path, body, kind) => {
    expect((await importFrom(send(type, body), path)).kind).toBe(kind);
  });

  it.each(['application/pdf', 'application/octet-stream'])('reads a PDF as %s', async (type) => {
    const body = await pdfOf((document) => document.text('Words'));
    const page = await importFrom(send(type, body), '/The%20terms.pdf');
    expect(page).toMatchObject({ kind: 'pdf', title: 'The terms', markdown: 'Words' });
  });

  it.each([
    ['an image', 'image/png', 'x', 'unknown-kind'],
    ['data', 'application/json', '{}', 'unknown-kind'],
    ['a style sheet', 'text/css', 'x', 'unknown-kind'],
    ['a PDF that says it is a page', 'text/html', '%PDF-1.7', 'unknown-kind'],
    ['nothing', 'text/html', '', 'no-text'],
  ])('refuses %s', async (_name, type, body, code) => {
    await expect(importFrom(send(type, body), '/a.md')).rejects.toMatchObject({ code });
  });

  it('reports the status of a refused page', async () => {
    await expect(importFrom(send('text/html', 'gone', 410))).rejects.toMatchObject({
      name: 'ImportRefused',
      code: 'fetch-failed',
      sentence: expect.stringMatching(/^127\.0\.0\.1:\d+ answered with status 410\.$/),
    });
  });

  it('stops reading a page that is too large', async () => {
    const endless: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write('a'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    const attempt = importFrom(endless, '/', { limits: { bytesMax: 100_000 } });
    await expect(attempt).rejects.toMatchObject({ code: 'too-large' });
  });

  it('makes no connection where the guard refuses it', async () => {
    await using server = await localServer(send('text/html', '<p>secret'));
    await using importer = testImporter();
    const attempt = importer.importPage({
      organizationId: 'one',
      url: server.origin,
      fetch: fetchWith(''),
    });
    await expect(attempt).rejects.toMatchObject({ code: 'fetch-failed' });
    expect(server.connections).toBe(0);
  });

  it.each(['http://127.0.0.1:1/', 'not an address', 'ftp://e.com/'])(
    'reports that %j could not be fetched',
    async (url) => {
      await using importer = testImporter();
      const attempt = importer.importPage({
        organizationId: 'one',
        url,
        fetch: fetchWith('127.0.0.1'),
      });
      await expect(attempt).rejects.toMatchObject({
        name: 'ImportRefused',
        code: 'fetch-failed',
        sentence: expect.stringMatching(/\.$/),
      });
    },
  );

  it('leaves its place to files while the other server answers', async () => {
    await using server = await localServer(() => undefined);
    await using importer = testImporter({ concurrency: 1 });
    const page = { organizationId: 'one', url: server.origin, fetch: fetchWith('127.0.0.1') };
    const pages = [importer.importPage(page), importer.importPage(page)].map((one) =>
      one.catch((error) => error),
    );
    await expect.poll(() => server.requests.length).toBe(2);
    const bytes = new TextEncoder().encode('# Mark');
    const file = { organizationId: 'one', name: 'a.md', bytes };
    expect(await importer.importFile(file)).toMatchObject({ title: 'Mark' });
    await importer[Symbol.asyncDispose]();
    await Promise.all(pages);
  });

  it('ends when it is no longer wanted, and with the importer', async () => {
    await using server = await localServer(() => undefined);
    const importer = testImporter();
    const caller = new AbortController();
    const page = { organizationId: 'one', url: server.origin, fetch: fetchWith('127.0.0.1') };
    const first = importer.importPage({ ...page, signal: caller.signal });
    const second = importer.importPage(page);
    await expect.poll(() => server.requests.length).toBe(2);
    caller.abort(new Error('no caller waits'));
    await expect(first).rejects.toThrow('no caller waits');
    const stopped = expect(second).rejects.toThrow('has been stopped');
    await importer[Symbol.asyncDispose]();
    await stopped;
    await server.idle();
  });
});
