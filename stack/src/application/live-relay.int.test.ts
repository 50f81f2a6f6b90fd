import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beginStep, pollWork } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { API_POLICY, securityHeaders } from '@tallyhand/service-kit/http/security-headers';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;

beforeAll(async () => {
  product = await startTestProduct({}, { browser: {} });
});
afterAll(() => product[Symbol.asyncDispose]());

const post = (base: string, endpoint: Endpoint, body: object, token = '') =>
  fetch(base + pathOf(endpoint, { id: newId(), number: '1' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
const poll = { address: 'http://127.0.0.1:1', free: 0, held: [], waitMs: 0 };

describe('internal calls', () => {
  it('are nowhere on the public port, whatever the method and token', async () => {
    const { internalToken } = product.config;
    for (const endpoint of [pollWork, beginStep]) {
      expect((await post(product.url, endpoint, poll, internalToken)).status).toBe(404);
    }
    for (const path of [
      '/internal',
      '/internal/',
      '/internal/viewers/authorize',
      '/internal/../internal/a',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await fetch(product.url + path, { method });
        expect([path, method, status]).toEqual([path, method, 404]);
      }
    }
  });

  it('are accepted at an address of this machine, with the token', async () => {
    const { internalUrl, config } = product;
    expect(new URL(internalUrl).hostname).toBe('127.0.0.1');
    expect((await post(internalUrl, pollWork, poll, 'something-else')).status).toBe(401);
    expect((await post(internalUrl, pollWork, poll, config.internalToken)).status).toBe(200);
  });
});

const socketAt = (base: string, headers: Record<string, string> = {}) => {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/browser`, { headers });
  socket.on('error', () => undefined);
  return socket;
};
const refusedAs = async (socket: WebSocket): Promise<IncomingMessage> => {
  const [, response] = await once(socket, 'unexpected-response');
  return response;
};
const refusal = async (socket: WebSocket) => (await refusedAs(socket)).statusCode;

describe('the socket of live views', () => {
  it("connects to the runner, from the product's pages only", async () => {
    const { client } = await registerOrganization(product.url);
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const socket = socketAt(product.url, { origin: product.url, cookie });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'subscribe_browser', sessionId: newId() }));
    const [data] = await once(socket, 'message');
    expect(JSON.parse(data.toString())).toMatchObject({ type: 'error', code: 'not-found' });
    socket.close();
    expect(await refusal(socketAt(product.url, { origin: 'https://other.example', cookie }))).toBe(
      403,
    );
  });

  it('closes without a sign-in', async () => {
    const socket = socketAt(product.url, { origin: product.url });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'subscribe_browser', sessionId: newId() }));
    const [code] = await once(socket, 'close');
    expect(code).toBe(4401);
  });

  it('is no way to pass for one of our own processes', async () => {
    const authorization = `Bearer ${product.config.internalToken}`;
    const socket = socketAt(product.url, { origin: 'https://other.example', authorization });
    expect(await refusal(socket)).toBe(403);
  });

  it('is the only one', async () => {
    const other = new WebSocket(`${product.url.replace('http', 'ws')}/ws/other`);
    other.on('error', () => undefined);
    expect(await refusal(other)).toBe(404);
    expect((await fetch(`${product.url}/ws/browser`)).status).toBe(404);
  });

  it('waits for a starting runner, and is refused when none starts', async () => {
    const wantBrowser = vi.fn();
    let address: string | null = null;
    await using waiting = await startTestProduct({ wantBrowser, runnerAddress: () => address });
    expect(await refusal(socketAt(waiting.url, { origin: waiting.url }))).toBe(503);
    expect(wantBrowser).not.toHaveBeenCalled();
    const cookie = 'tallyhand=something';
    const socket = socketAt(waiting.url, { origin: waiting.url, cookie });
    await vi.waitUntil(() => wantBrowser.mock.calls.length > 0);
    address = product.runner?.address ?? null;
    await once(socket, 'open');
    socket.close();
  });
});

describe('the answer to a socket', () => {
  it('keeps other sites away where it is a refusal, as every answer does', async () => {
    const other = new WebSocket(`${product.url.replace('http', 'ws')}/ws/other`);
    other.on('error', () => undefined);
    const foreign = socketAt(product.url, { origin: 'https://other.example' });
    for (const refused of [refusedAs(other), refusedAs(foreign)]) {
      const { headers } = await refused;
      expect(headers).toMatchObject({
        ...securityHeaders(product.config.publicUrl, API_POLICY),
        'cache-control': 'no-store',
        'content-length': '0',
        connection: 'close',
      });
    }
  });

  it('sets no cookie and accepts no extension when admitted', async () => {
    const socket = socketAt(product.url, { origin: product.url });
    const [response] = await once(socket, 'upgrade');
    const names = Object.keys(response.headers).sort();
    expect(names).toEqual(['connection', 'sec-websocket-accept', 'upgrade']);
    socket.close();
  });
});

describe('a call that offers another protocol', () => {
  it('is answered unchanged', async () => {
    const call = request(`${product.url}/healthz`, {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AA' },
    });
    call.end();
    const [response] = await once(call, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });
});
