import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { addCompression, chosenEncoding } from './compression.ts';

const long = JSON.stringify({ text: 'credits '.repeat(500) });
const ownPage = { 'sec-fetch-site': 'same-origin', 'accept-encoding': 'gzip, br' };

function answering() {
  const app = Fastify();
  addCompression(app);
  app.get('/long', async () => long);
  app.get('/short', async () => '{}');
  app.get('/secret', { config: { holdsSecrets: true } }, async () => long);
  app.get('/stream', async (_request, reply) => reply.send(new Blob([long]).stream()));
  app.post('/long', async () => long);
  return app;
}

describe('an answer to a read', () => {
  it('is compressed for the pages of the product, with the best encoding that they accept', async () => {
    const app = answering();
    const best = await app.inject({ url: '/long', headers: ownPage });
    expect(best.headers['content-encoding']).toBe('br');
    expect(best.headers['content-length']).toBe(String(best.rawPayload.length));
    expect(brotliDecompressSync(best.rawPayload).toString()).toBe(long);
    const older = { ...ownPage, 'accept-encoding': 'gzip' };
    const { headers, rawPayload } = await app.inject({ url: '/long', headers: older });
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'accept-encoding']);
    expect(gunzipSync(rawPayload).toString()).toBe(long);
  });

  it('is compressed for programs that send a key', async () => {
    const headers = { authorization: 'Bearer th_x', 'accept-encoding': 'br' };
    const answer = await answering().inject({ url: '/long', headers });
    expect(answer.headers['content-encoding']).toBe('br');
  });

  it('has the same headers for HEAD', async () => {
    const app = answering();
    const whole = await app.inject({ url: '/long', headers: ownPage });
    const head = await app.inject({ method: 'HEAD', url: '/long', headers: ownPage });
    expect(head.body).toBe('');
    for (const name of ['content-encoding', 'content-length', 'vary']) {
      expect(head.headers[name]).toBe(whole.headers[name]);
    }
  });

  it.each<[string, { url: string; method?: 'POST'; headers?: Record<string, string> }]>([
    ['another site asked', { url: '/long', headers: { 'sec-fetch-site': 'cross-site' } }],
    ['a neighbouring site asked', { url: '/long', headers: { 'sec-fetch-site': 'same-site' } }],
    ['the request names no site', { url: '/long', headers: { 'sec-fetch-site': '' } }],
    ['it holds secrets', { url: '/secret' }],
    ['it is short', { url: '/short' }],
    ['it is a stream', { url: '/stream' }],
    ['it answers a command', { url: '/long', method: 'POST' }],
    ['the caller takes no encoding', { url: '/long', headers: { 'accept-encoding': '' } }],
  ])('is sent uncompressed when %s', async (_, { headers, ...request }) => {
    const answer = await answering().inject({ ...request, headers: { ...ownPage, ...headers } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body).toBe(request.url === '/short' ? '{}' : long);
  });
});

describe('the encoding', () => {
  it.each([
    [undefined, null],
    ['identity', null],
    ['deflate, gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip, br;q=0.1', 'br'],
    ['*', 'br'],
    ['*, br;q=0.0', 'gzip'],
    ['*;q=0', null],
    ['GZIP', 'gzip'],
  ])('for %s is %s', (accepted, expected) => {
    expect(chosenEncoding(accepted)).toBe(expected);
  });
});
