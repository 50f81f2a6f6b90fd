import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicServers } from '@tallyhand/agent-runtime/mcp/fixtures/public-servers';
import {
  type Answering,
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  changeTool,
  connectTool,
  createTool,
  type McpOffer,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { agentWithArticle, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const otherOrganization = crypto.randomUUID();

let folder = '';
let model: Peer;
let answering: Answering = (response) => sendJson(response, 500, {});
let product: OwnProduct;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-'));
  model = await openAiPeer((...call) => answering(...call));
  const memory = {
    command: process.execPath,
    args: [publicServers.memory],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  };
  product = await startTestProduct({
    model: { openAiApiKey: 'sk-test-0123456789', openAiBaseUrl: model.baseURL },
    localMcpServers: {
      memory: { ...memory, organizations: '*' },
      private: { ...memory, organizations: [otherOrganization] },
    },
  });
});
afterAll(async () => {
  for (const one of [product, model]) await one[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const input = (config: object = {}, rest: object = {}) => ({
  name: 'Memory',
  description: 'Remembers what customers said',
  type: 'mcp',
  config: { baseUrl: 'stdio:memory', authType: 'none', extras: {}, ...config },
  policies: { changes: 'allow' },
  ...rest,
});

describe('an MCP server that the operator has set up', () => {
  it('is connected by its name, and used by agents', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const { body: tool } = await client.call<Tool>(createTool, { body: input() });
    const params = { id: tool.id };
    const { body: offer } = await client.call<McpOffer>(connectTool, { params });
    expect(offer).toMatchObject({ success: true, server: { name: 'memory-server' } });
    const mcpTools = offer.tools.map(({ name, definition }) => ({
      name,
      definition,
      enabled: true,
    }));
    const body = { config: { ...tool.config, mcpTools } };
    expect((await client.call(changeTool, { params, body })).status).toBe(200);
    await client.call(assignResources, {
      params: { id: agent.id },
      body: { tools: [tool.id] },
    });
    const entities = [{ name: 'Anna', entityType: 'customer', observations: ['pays in cash'] }];
    const answers = [
      calling(['Memory_create_entities', { entities }]),
      calling(['Memory_search_nodes', { query: 'cash' }]),
      completion({ answer: 'Anna pays in cash.', usedPassages: [], reasoning: 'Looked up.' }),
    ];
    answering = (response) => sendJson(response, 200, answers.shift() ?? {});
    const { body: run } = await client.call<ExecutionResult>(executeTask, {
      params: { id: agent.id },
      body: { input: 'Remember that Anna pays in cash', type: 'tool_run' },
    });
    expect(run).toMatchObject({ success: true, output: 'Anna pays in cash.' });
    const { body: task } = await client.call<TaskDetail>(getTask, { params: { id: run.taskId } });
    expect(task.toolCalls).toMatchObject([{ success: true }, { success: true }]);
    expect(task.toolCalls[1]?.output).toContain('Anna');
  });

  it.each<[string, object, object, string]>([
    ['a name that there is not', { baseUrl: 'stdio:nothing' }, {}, 'config.baseUrl'],
    ['one of another organization', { baseUrl: 'stdio:private' }, {}, 'config.baseUrl'],
    ['a tool of another type', {}, { type: 'api' }, 'config.baseUrl'],
    ['a command', { baseUrl: 'stdio:rm -rf /' }, {}, 'config.baseUrl'],
    [
      'credentials',
      { authType: 'bearer' },
      { authCredentials: { token: 'secret' } },
      'config.authType',
    ],
  ])('is refused for %s', async (_, config, rest, path) => {
    const { client } = await registerOrganization(product.url);
    const { status, body } = await client.call<Problem>(createTool, { body: input(config, rest) });
    expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
    expect(JSON.stringify(body)).not.toContain('stdio:private');
  });

  it('is refused when a tool is changed to it, and named by what there is', async () => {
    const { client } = await registerOrganization(product.url);
    const elsewhere = { baseUrl: 'https://mcp.example.com/mcp' };
    const { body: tool } = await client.call<Tool>(createTool, { body: input(elsewhere) });
    const body = { config: { ...tool.config, baseUrl: 'stdio:private' } };
    const answer = await client.call<Problem>(changeTool, { params: { id: tool.id }, body });
    expect(answer.body.errors).toEqual([
      { path: 'config.baseUrl', message: 'Enter an http or https address or stdio:memory' },
    ]);
  });
});
