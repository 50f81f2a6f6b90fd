import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

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
export function fixtureServer(): Server {
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
