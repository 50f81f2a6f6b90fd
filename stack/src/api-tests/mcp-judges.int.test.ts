import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type CallToolResult,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { mcpEndpoint } from '@tallyhand/command-service/features/mcp/mcp-http';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { createHttpApp } from '@tallyhand/service-kit/http/app';
import { listen } from '@tallyhand/service-kit/http/server';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { testLog } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareJudges } from '../../../scripts/prepare.js';
import { newKey } from '../testing/members.ts';
import { sharedProduct } from '../testing/product.ts';

/** 1 by 1 pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Without a sample. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const NO_INPUT = { type: 'object', properties: {} } as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

type FixtureTool = (call: ServerContext) => Promise<CallToolResult> | CallToolResult;

const tools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  async test_tool_with_logging({ mcpReq }) {
    for (const data of ['started', 'processing', 'completed']) {
      const params = { level: 'info', data: `Tool ${data}` } as const;
      await mcpReq.notify({ method: 'notifications/message', params });
      await sleep(20);
    }
    return { content: [text('Logged')] };
  },
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: progressToken ?? '', progress, total: 100 };
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      await sleep(20);
    }
    return { content: [text('Done')] };
  },
  json_schema_2020_12_tool: () => ({ content: [text('Valid')] }),
};

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
} as const;

const user = (content: GetPromptResult['messages'][number]['content']) =>
  ({ role: 'user', content }) as const;

type Arguments = Readonly<Record<string, string>>;

const prompts: Readonly<
  Record<string, { names: readonly string[]; get: (args: Arguments) => GetPromptResult }>
> = {
  test_simple_prompt: {
    names: [],
    get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    get: ({ resourceUri: uri = '' }) => ({
      messages: [
        user({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    names: [],
    get: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
};

function read(uri: string): ReadResourceResult {
  if (uri === 'test://static-text') {
    const words = 'This is the content of the static text resource.';
    return { contents: [{ uri, mimeType: 'text/plain', text: words }] };
  }
  if (uri === 'test://static-binary') {
    return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  }
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
  if (!id) throw invalid(`There is no resource ${uri}`);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: data }] };
}

/** The tools, resources and prompts that the conformance suite calls by their names. */
function fixtureServer(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: 'A tool of the conformance suite',
      inputSchema: name === 'json_schema_2020_12_tool' ? SCHEMA_2020_12 : NO_INPUT,
    })),
  }));
  server.setRequestHandler('tools/call', ({ params: { name } }, call) => {
    const run = tools[name];
    if (!run) throw invalid(`There is no tool ${name}`);
    return run(call);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: ['test://static-text', 'test://static-binary'].map((uri) => ({
      uri,
      name: uri,
      description: 'A resource of the conformance suite',
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => read(uri));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { names }]) => ({
      name,
      description: 'A prompt of the conformance suite',
      arguments: names.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }) => {
    const prompt = prompts[name];
    if (!prompt) throw invalid(`There is no prompt ${name}`);
    return prompt.get(args);
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}

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
