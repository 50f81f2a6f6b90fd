import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, describe, expect, it } from 'vitest';
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

const server = await httpServer(({ url = '' }, response) => answers[url]?.(response));
const base = server.origin;
afterAll(() => server[Symbol.asyncDispose]());

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
