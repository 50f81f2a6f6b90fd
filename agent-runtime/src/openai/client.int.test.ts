import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitedFetch } from './client.ts';
import { AnswerTooLarge } from './model-calls.ts';

const CHUNKED = { 'transfer-encoding': 'chunked' };
const large = 'x'.repeat(4_000_001);
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/declared': (response) => response.setHeader('content-length', 5).end('small'),
  '/declared-large': (response) => response.setHeader('content-length', large.length).end(large),
  '/undeclared': (response) => response.writeHead(200, CHUNKED).end('small'),
  '/undeclared-large': (response) => response.writeHead(200, CHUNKED).end(large),
  '/packed-large': (response) => {
    const packed = gzipSync(large);
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
    response.end(packed);
  },
};

const server = createServer(({ url = '' }, response) => answers[url]?.(response));
let base: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('an answer', () => {
  it.each(['/declared', '/undeclared'])('that is small is returned unchanged: %s', async (path) => {
    const response = await limitedFetch(base + path);
    expect([response.status, await response.text()]).toEqual([200, 'small']);
  });

  it.each(['/declared-large', '/undeclared-large', '/packed-large'])(
    'that is too large fails, whatever size it declares: %s',
    async (path) => {
      const response = await limitedFetch(base + path);
      await expect(response.text()).rejects.toBeInstanceOf(AnswerTooLarge);
    },
  );
});
