import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveWebAssets } from './web-assets.ts';

const running = new AsyncDisposableStack();
let url: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'web-'));
  running.defer(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'pages'));
  const files = {
    'index.html': 'the app',
    'pages/index.html': 'at %PUBLIC_URL%/',
    'pages/features.html': 'at %PUBLIC_URL%/features and %PUBLIC_URL%/',
    'pages/features.html.br': 'not to be read',
    'pages/sitemap.xml': '<loc>%PUBLIC_URL%/features</loc>',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const web = running.use(await serveWebAssets(`${folder}/`, 'https://tallyhand.example/'));
  url = running.use(await httpServer(web.handle)).origin;
});
afterAll(() => running.disposeAsync());

const textAt = async (path: string) => (await fetch(`${url}${path}`)).text();

describe('a public page', () => {
  it('names the address that the operator gave the product', async () => {
    expect(await textAt('/')).toBe('at https://tallyhand.example/');
    expect(await textAt('/features')).toBe(
      'at https://tallyhand.example/features and https://tallyhand.example/',
    );
    expect(await textAt('/features?from=mail')).toContain('tallyhand.example');
    expect(await textAt('/sitemap.xml')).toBe('<loc>https://tallyhand.example/features</loc>');
  });

  it.each(['br', 'gzip'])('is sent as %s to clients that accept it', async (encoding) => {
    const answer = await fetch(`${url}/features`, { headers: { 'accept-encoding': encoding } });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('https://tallyhand.example/features');
  });

  it('is revalidated, and answered 304 while it is unchanged', async () => {
    const first = await fetch(`${url}/features`);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await fetch(`${url}/features`, { headers: known })).status).toBe(304);
    const other = { 'if-none-match': 'W/"other"' };
    expect((await fetch(`${url}/features`, { headers: other })).status).toBe(200);
  });

  it('has one address only', async () => {
    expect((await fetch(`${url}/pages/features.html`)).status).toBe(404);
    expect(await textAt('/features.html.br')).toBe('Not found');
    expect(await textAt('/dashboard')).toBe('the app');
  });
});
