import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  changeTool,
  createTool,
  deleteTool,
  getTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, registerOrganization, toolInput } from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const token = 'a-secret-token-of-the-test';

const yaml = `openapi: 3.1.0
paths:
  /echo:
    get:
      operationId: echo
  /orders/{id}:
    get:
      operationId: findOrder
`;

type Seen = { readonly method: string; readonly url: string; readonly headers: object };

let product: OwnProduct;
let shop: HttpServer;
let address = '';
/** A private server that the operator has not let through. */
let forbidden: HttpServer;
let forbiddenSeen = 0;
let client: ApiClient;
const seen: Seen[] = [];

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/api/orders/7': (_, response) => response.end('{"order":7,"state":"sent"}'),
  '/api/echo': (request, response) => response.end(JSON.stringify(request.headers)),
  '/api/broken': (_, response) => response.writeHead(500).end('<h1>Oh no</h1>'),
  '/api/endless': (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
    response.on('close', () => clearInterval(timer));
  },
  '/api/bomb': (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
    response.end(gzipSync(Buffer.alloc(50_000_000, 'x')));
  },
  '/api/away': (_, response) => {
    response.writeHead(302, { location: `${forbidden.origin}/api/secret` }).end();
  },
};

beforeAll(async () => {
  shop = await httpServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers });
    response.setHeader('content-type', 'application/json');
    (answers[url.split('?')[0] ?? ''] ?? ((_, r) => r.writeHead(404).end('{}')))(request, response);
  });
  forbidden = await httpServer((_, response) => {
    forbiddenSeen += 1;
    response.end('secret');
  }, '127.0.0.2');
  address = shop.origin;
  product = await startTestProduct({ allowPrivateHosts: shop.host });
  ({ client } = await registerOrganization(product.url));
});
afterAll(async () => {
  for (const one of [product, shop, forbidden]) await one[Symbol.asyncDispose]();
});

async function tool(config: object = {}, rest: object = {}): Promise<string> {
  const own = { baseUrl: `${address}/api`, authType: 'bearer', ...config };
  const body = { ...toolInput, config: own, authCredentials: { token }, ...rest };
  const made = await client.call<Tool>(createTool, { body });
  expect(made.status).toBe(201);
  return made.body.id;
}
const run = async (id: string, input = '') =>
  (await client.call<ToolTestResult & Problem>(testTool, { params: { id }, body: { input } })).body;

describe('a tool that is tried', () => {
  it('shows its real answer', async () => {
    const result = await run(await tool({ extras: { 'x-shop': 'larkfell' } }), 'GET /orders/7');
    expect(result).toMatchObject({
      success: true,
      status: 200,
      error: null,
      output: '{"order":7,"state":"sent"}',
    });
    expect(seen.at(-1)).toMatchObject({
      method: 'GET',
      url: '/api/orders/7',
      headers: { authorization: `Bearer ${token}`, 'x-shop': 'larkfell' },
    });
  });

  it('calls an operation of its OpenAPI document', async () => {
    const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
    const openapi = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      paths: {
        '/orders/{id}': { get: { operationId: 'findOrder', parameters: [parameter] } },
        '/echo': { get: { operationId: 'echo' } },
      },
    });
    const id = await tool({ openapi });
    const input = '{"operation":"findOrder","arguments":{"id":7}}';
    expect(await run(id, input)).toMatchObject({ success: true });
    expect(await run(id, 'orders')).toMatchObject({ success: false, status: null });
    expect((await run(id, '{}')).error).toContain('findOrder, echo');
  });

  it('accepts the document as YAML, and from its address', async () => {
    answers['/api/openapi.yaml'] = (_, response) => response.end(yaml);
    for (const openapi of [yaml, `${address}/api/openapi.yaml`]) {
      const id = await tool({ openapi });
      const { body } = await client.call<Tool>(getTool, { params: { id } });
      expect(JSON.parse(body.config.openapi ?? '')).toMatchObject({ openapi: '3.1.0' });
      expect(await run(id, '{"operation":"echo"}')).toMatchObject({ success: true });
    }
  });

  it.each([
    ['words', 'a: [1', 'neither'],
    ['another version', 'swagger: "2.0"', 'not OpenAPI'],
    ['nothing to call', '{"openapi":"3.1.0","paths":{}}', 'no operation'],
    ['a private address', 'http://127.0.0.2:1/openapi.json', 'private address'],
  ])('refuses %s as a document, and keeps nothing', async (_, openapi, why) => {
    const id = await tool();
    for (const answer of [
      await client.call<Problem>(changeTool, { params: { id }, body: { config: { openapi } } }),
      await client.call<Problem>(createTool, { body: { ...toolInput, config: { openapi } } }),
    ]) {
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'config.openapi']);
      expect(answer.body.errors?.[0]?.message).toContain(why);
    }
    expect((await client.call<Tool>(getTool, { params: { id } })).body.version).toBe(1);
  });

  it('never shows its credentials, whatever the server sends back', async () => {
    const { output, success } = await run(await tool(), '/echo');
    expect(success).toBe(true);
    expect(output).not.toContain(token);
    expect(output).toContain('[secret]');
  });

  it('uses the credentials that were set last', async () => {
    const id = await tool();
    const body = { authCredentials: { token: 'the-newer-token' } };
    expect((await client.call(changeTool, { params: { id }, body })).status).toBe(200);
    await run(id, '/orders/7');
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer the-newer-token' });
  });

  it.each([
    ['a server that fails', '/broken', 'status 500'],
    ['what is not there', '/nothing', 'status 404'],
  ])('reports %s', async (_, path, error) => {
    const result = await run(await tool(), path);
    expect(result.success).toBe(false);
    expect(result.error).toContain(error);
  });

  it.each(['/endless', '/bomb'])('reads no more than it shows of %s', async (path) => {
    const { output } = await run(await tool(), path);
    expect(output).toHaveLength(20_000);
  });

  it.each(['/../admin', '//127.0.0.1:1/x', '/%2e%2e/admin', 'GET http://example.com/'])(
    'calls nothing beside its base URL: %s',
    async (input) => {
      const id = await tool();
      const before = seen.length;
      expect(await run(id, input)).toMatchObject({ success: false, status: null });
      expect(seen).toHaveLength(before);
    },
  );

  it('reaches no private address, directly or by a redirect', async () => {
    const { port } = forbidden;
    for (const baseUrl of [
      `http://127.0.0.2:${port}/api`,
      `http://localhost:${port}/api`,
      `http://[::ffff:127.0.0.2]:${port}/api`,
      `http://2130706434:${port}/api`,
      'http://169.254.169.254/latest',
      product.url,
    ]) {
      const result = await run(await tool({ baseUrl }), '/secret');
      expect([baseUrl, result.success, result.status]).toEqual([baseUrl, false, null]);
    }
    expect((await run(await tool(), '/away')).success).toBe(false);
    expect(forbiddenSeen).toBe(0);
  });

  it('must be there', async () => {
    const id = await tool();
    await client.call(deleteTool, { params: { id } });
    expect(await run(id, '/')).toMatchObject({ status: 404, code: 'not-found' });
  });
});

describe('a tool with a script', () => {
  const script = (text: string, credentials: object = {}) =>
    tool(
      { baseUrl: '', authType: 'none', extras: { script: text } },
      { type: 'custom', authCredentials: credentials },
    );

  it('receives the typed input and returns a value', async () => {
    const id = await script('return { sum: input.a + input.b };');
    expect(await run(id, '{"a":2,"b":3}')).toMatchObject({ success: true, output: '{"sum":5}' });
    const echo = await script('return `You said ${input}`;');
    expect(await run(echo, 'hello')).toMatchObject({ output: 'You said hello' });
  });

  it('requests only what the guard permits', async () => {
    const get = (url: string) => script(`return (await fetch('${url}')).text();`);
    expect((await run(await get(`${address}/api/orders/7`))).output).toContain('"order":7');
    const refused = await run(await get(`${forbidden.origin}/secret`));
    expect([refused.success, forbiddenSeen]).toEqual([false, 0]);
  });

  // What else it may do to the product is tried by the sandbox's own tests.
  it.each([
    ['throws', 'throw new Error("Not today");'],
    ['is no JavaScript', 'return {{{'],
    ['looks for the machine', 'return process.env;'],
  ])('is ended with a sentence when it %s', async (_, text) => {
    const { success, error } = await run(await script(text));
    expect([success, error]).toEqual([false, expect.stringMatching(/\w+/)]);
  });

  it('must have a script', async () => {
    expect((await run(await script(' '))).error).toBe('This tool has no script.');
  });
});
