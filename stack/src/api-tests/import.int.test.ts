import { request } from 'node:http';
import { deflateRawSync } from 'node:zlib';
import {
  listRecordedEvents,
  type RecordedEvent,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  type Article,
  convertDocument,
  deleteArticle,
  getArticle,
  type ImportedArticle,
  importArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, cookieOf, registerOrganization } from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

type Imported = ImportedArticle & Problem;

let product: TestProduct;
let site: HttpServer;
let address = '';
let client: ApiClient;
beforeAll(async () => {
  site = await httpServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const { url } = request;
    if (url === '/away') response.writeHead(302, { location: 'http://127.0.0.2:9/x' }).end();
    else response.end('<title>Shop</title><main><h1>Opening hours</h1><p>From 9 to 5.</p></main>');
  });
  address = site.origin;
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
});
afterAll(() => site[Symbol.asyncDispose]());

async function upload(
  name: string,
  content: string | Buffer,
  by = client,
  { path }: { readonly path: string } = importArticle,
) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(Buffer.from(content))]), name);
  const response = await fetch(`${product.url}${path}`, {
    method: 'POST',
    body: form,
    headers: { cookie: cookieOf(by) },
  });
  return { status: response.status, body: (await response.json()) as Imported };
}
const page = (url: string) => client.call<Imported>(importArticle, { body: { url } });

/** Refused calls are recorded in their order, so a later one shows what the log does not have. */
async function expectNotRecorded(by: ApiClient, code: string) {
  await by.call(deleteArticle, { params: { id: crypto.randomUUID() } });
  const recorded = async () => {
    const query = { kind: 'CallRefused' };
    const { body } = await by.call<RecordedEvent[]>(listRecordedEvents, { query });
    return body.map(({ data }) => data.code);
  };
  await expect.poll(recorded).toContain('not-found');
  expect(await recorded()).not.toContain(code);
}

describe('files that arrive slowly', () => {
  it('hold so much memory at most, and keep other organizations out of nothing', async () => {
    const busy = await registerOrganization(product.url);
    const cookie = cookieOf(busy.client);
    const head = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n';
    const bytes = Buffer.alloc(9_900_000, 'x');
    const statuses: (number | undefined)[] = [];
    // Twelve files, each without its end: at most eight of them are held.
    const uploads = Array.from({ length: 12 }, () => {
      const upload = request(`${product.url}${importArticle.path}`, {
        method: 'POST',
        headers: {
          cookie,
          'content-type': 'multipart/form-data; boundary=XX',
          'content-length': head.length + bytes.length + 100,
        },
      });
      upload.on('error', () => {});
      upload.on('response', ({ statusCode }) => statuses.push(statusCode));
      upload.write(head);
      upload.write(bytes);
      return upload;
    });
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(4);
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect((await upload('hours.txt', 'We are open from 9 to 5.')).status).toBe(201);
    await expectNotRecorded(busy.client, 'organization-queue-full');
    for (const each of uploads) each.destroy();
    const again = () => upload('hours.txt', 'We are open from 9 to 5.', busy.client);
    await expect.poll(async () => (await again()).status).toBe(201);
  });
});

describe('a file that is imported', () => {
  it.each([
    ['returns.md', '# Returns\n\nWithin **30 days** of delivery.', 'Returns'],
    ['hours.txt', 'We are open from 9 to 5 on every working day.', 'hours'],
    ['page.html', '<h1>Shipping</h1><script>x()</script><p>Two days.</p>', 'Shipping'],
  ])('is an article: %s', async (name, content, title) => {
    const { status, body } = await upload(name, content);
    expect([status, body.title, body.category]).toEqual([201, title, 'Imported']);
    // The upload's position is not the client's, which therefore does not wait for it.
    const kept = async () =>
      (await client.call<Article>(getArticle, { params: { id: body.id } })).body.content;
    await expect.poll(kept).toBe(body.content);
    expect(body.content).not.toContain('x()');
  });

  it('reports what was omitted, with its code', async () => {
    const { body } = await upload('tents.html', '<h1>Tents</h1><p>All dry.</p><img src="a.png">');
    const text = '1 image was left out. Image descriptions are kept as text.';
    expect(body.warnings).toEqual([text]);
    expect(body.remarks).toEqual([{ code: 'images-left-out', params: { count: 1 }, text }]);
  });

  it.each([
    ['what is no document', 'picture.png', Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')],
    ['a broken PDF', 'broken.pdf', Buffer.from('%PDF-1.7\nnothing of it')],
    ['an archive that is no document', 'bomb.docx', deflateRawSync(Buffer.alloc(1_000_000))],
    ['nothing', 'empty.txt', Buffer.alloc(0)],
    ['what is too large', 'large.txt', Buffer.alloc(10_000_001, 'x')],
  ])('is refused with a sentence: %s', async (_, name, content) => {
    const { status, body } = await upload(name, content);
    expect([status, body.code]).toEqual([422, 'import-refused']);
    expect(body.errors).toEqual([{ path: 'file', message: body.detail }]);
  });

  it('is converted and not stored, where it is only read', async () => {
    const { client: other } = await registerOrganization(product.url);
    const { status, body } = await upload('a.html', '<h1>A</h1><p>B.</p>', other, convertDocument);
    expect([status, body]).toEqual([
      200,
      { title: 'A..', content: '# A\n\nB.   ', warnings: [], remarks: [] },
    ]);
    const refused = await upload('empty.txt', '', other, convertDocument);
    expect([refused.status, refused.body.code]).toEqual([422, 'import-refused']);
    expect((await other.call(listArticles)).body).toEqual([]);
    const viewer = (await membersOfEachRole(other, product.url)).get('Viewer');
    expect((await viewer?.call(convertDocument, { body: { url: address } }))?.status).toBe(403);
  });

  it('must be there', async () => {
    const answer = await client.call<Problem>(importArticle, { body: {} });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'file']);
  });

  it('is for the roles that manage knowledge', async () => {
    for (const [role, member] of await membersOfEachRole(client, product.url)) {
      const { status } = await upload('a.md', '# A title\n\nAnd some text.', member);
      expect([role, status]).toEqual([role, role === 'Admin' || role === 'Editor' ? 201 : 403]);
    }
  });
});

describe('a web page that is imported', () => {
  it('is an article', async () => {
    const { status, body } = await page(address);
    expect([status, body.title]).toEqual([201, 'Opening hours']);
    expect(body.content).toContain('From 9 to 5.');
  });

  it('is refused where it is private, or leads there, or is no address', async () => {
    for (const url of ['http://127.0.0.2:9/x', `${address}/away`, 'http://localhost:9/']) {
      const { status, body } = await page(url);
      expect([url, status, body.code]).toEqual([url, 422, 'import-refused']);
      expect(body.errors?.[0]?.path).toBe('url');
    }
    expect((await page('no address')).status).toBe(422);
  });
});
