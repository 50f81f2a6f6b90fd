import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mcpEndpoint } from '@tallyhand/command-service/features/mcp/mcp-http';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { listen } from '@tallyhand/service-kit/http/server';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { testLog } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJudges } from '../../../scripts/prepare.js';
import { fixtureServer } from '../testing/mcp-fixtures.ts';
import { newKey } from '../testing/members.ts';
import { sharedProduct } from '../testing/product.ts';

const judge = (program: string) =>
  fileURLToPath(new URL(`../../../judges/mcp/node_modules/.bin/${program}`, import.meta.url));

let folder: string;
let product: string;
let key: string;
beforeAll(async () => {
  prepareJudges('mcp');
  // The installation blocks: connections that the product has closed meanwhile are noticed now.
  await setImmediate();
  folder = await mkdtemp(join(tmpdir(), 'mcp-judges-'));
  ({ url: product } = await sharedProduct());
  const { client } = await registerOrganization(product);
  await agentWithArticle(client);
  ({ key } = await newKey(client, 'Admin'));
});
afterAll(() => rm(folder, { recursive: true }));

type Printed = { readonly code: unknown; readonly output: string };

/** Runs a program of others with this Node. */
const run = (program: string, options: readonly string[]) =>
  new Promise<Printed>((resolve) => {
    execFile(process.execPath, [judge(program), ...options], { cwd: folder }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, output: out + err }),
    );
  });

/**
 * Runs the conformance suite. It fails if another scenario fails than these, or if one of them
 * succeeds.
 */
async function conform(url: string, expected: readonly string[]): Promise<Printed> {
  const baseline = join(folder, `${newId()}.yml`);
  await writeFile(baseline, `server:\n${expected.map((one) => `  - ${one}\n`).join('')}`);
  return run('conformance', ['server', '--url', url, '--expected-failures', baseline]);
}

/** Without state a client's answer to a request of the server has no call that it belongs to. */
const ASKS_THE_CLIENT = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
];
/** No list and no resource announces changes. */
const SUBSCRIBES = ['resources-subscribe', 'resources-unsubscribe'];
/** They call tools, resources and prompts of the suite by name, or what the product does not offer. */
const CALLS_FIXTURES = [
  'logging-set-level',
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

describe('the conformance suite', () => {
  it('accepts the product, which it calls with a key', async () => {
    // The suite sends no Authorization.
    await using proxy = await listen(
      ({ method, url, headers }, response) => {
        const signed = { ...headers, authorization: `Bearer ${key}` };
        response.req.pipe(
          send(product + url, { method, headers: signed }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(response);
          }),
        );
      },
      { host: '127.0.0.1', port: 0 },
    );
    const url = `http://127.0.0.1:${proxy.port}/mcp`;
    const printed = await conform(url, [...CALLS_FIXTURES, ...ASKS_THE_CLIENT, ...SUBSCRIBES]);
    expect(printed).toMatchObject({ code: 0 });
  });

  it('accepts the transport with its own fixtures', async () => {
    const publicUrl = 'http://127.0.0.1';
    const app = await createHttpApp({
      publicUrl,
      trustProxy: false,
      rateLimitScale: 1_000,
      log: testLog,
    });
    const id = newId();
    await mcpEndpoint(app, {
      publicUrl,
      authenticate: async () => ({
        kind: 'api-key',
        signInId: id,
        userId: id,
        organizationId: id,
        role: 'Admin',
      }),
      countCall: () => null,
      signals: {
        announce: async () => {},
        wait: () => ({ ended: new Promise(() => {}), cancel() {} }),
      },
      serverOf: fixtureServer,
    });
    await app.ready();
    await using server = await listen((request, response) => app.routing(request, response), {
      host: '127.0.0.1',
      port: 0,
    });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    expect(await conform(url, [...ASKS_THE_CLIENT, ...SUBSCRIBES])).toMatchObject({ code: 0 });
  });
});

describe("the Inspector's command line", () => {
  it('lists and calls tools', async () => {
    const inspect = (...method: string[]) =>
      run('mcp-inspector', [
        '--cli',
        `${product}/mcp`,
        '--transport',
        'http',
        '--header',
        `Authorization: Bearer ${key}`,
        '--method',
        ...method,
      ]);
    const listed = await inspect('tools/list');
    expect(listed.output).toContain('ask_support_');
    const called = await inspect('tools/call', '--tool-name', 'get_balance');
    expect(called.output).toContain('creditBalance');
  });
});
