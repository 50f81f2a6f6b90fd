import type { Progress, Tool } from '@modelcontextprotocol/client';
import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  getTask,
  listTasks,
  type Task,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { type ApiClient, cookieOf, registerOrganization } from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  balanceOf,
  IDEMPOTENCY,
  mcpClient,
  newMcpParty,
  PING,
  PROBLEM,
  postMcp,
  QUESTION,
  toolOf,
} from '../testing/mcp.ts';
import { newKey } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { startInternalSide } from '../testing/scripted-runner.ts';

let product: OwnProduct;
let model: HttpServer;
let admin: ApiClient;
let key: string;
let agent: Agent;
/** Requests to the model that wait for an answer. */
let asked: ((answer: string) => void)[];

beforeAll(async () => {
  model = await httpServer((_, response) => {
    asked.push((content) => {
      const message = { role: 'assistant', content };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    });
  });
  product = await startTestProduct({
    model: {
      openAiApiKey: 'key-of-the-test',
      openAiBaseUrl: `${model.origin}/v1`,
      openAiModel: 'peer',
    },
  });
  ({ admin, agent, key } = await newMcpParty(product.url));
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(() => {
  asked = [];
});

/** Answers the model's request once it has come. */
async function answerModel(text = 'Within 30 days.') {
  await vi.waitUntil(() => asked.length > 0);
  asked.shift()?.(text);
}

describe.each(['legacy', '2026-07-28'] as const)('a client of the revision %s', (era) => {
  it('is answered by an agent, with sources and progress, for one credit', async () => {
    const client = await mcpClient(product.url, key, { era });
    const { tools } = await client.listTools();
    const tool = tools.find(({ title }) => title === agent.name) ?? expect.fail('No tool');
    expect(tool).toMatchObject({
      name: expect.stringMatching(/^ask_support_[0-9a-z]{25}$/),
      description: expect.stringContaining(agent.description),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    });
    const before = await balanceOf(admin);
    const progress: Progress[] = [];
    const [result] = await Promise.all([
      client.callTool(
        { name: tool.name, arguments: QUESTION },
        { onprogress: (one) => progress.push(one) },
      ),
      answerModel('Items can be returned within 30 days [1].'),
    ]);
    expect(result.isError).toBeFalsy();
    const { taskId } = result.structuredContent as { taskId: string };
    expect(result.structuredContent).toMatchObject({
      status: 'success',
      creditsCharged: 1,
      output: expect.stringContaining('30 days'),
      sources: [{ title: 'Returns', uri: expect.stringMatching(/^tallyhand:\/\/articles\//) }],
    });
    expect(JSON.stringify(result.content)).toContain('Sources:');
    expect(progress[0]).toMatchObject({ progress: 1, message: 'The task has started' });
    expect((await balanceOf(admin)).creditBalance).toBe(before.creditBalance - 1);
    const { body: task } = await admin.call<TaskDetail>(getTask, { params: { id: taskId } });
    expect(task).toMatchObject({ status: 'success', requestedBy: { name: "The Admin's" } });
    const { body: audited } = await admin.call<AuditEntry[]>(listAuditEntries, {
      query: { object: taskId },
    });
    expect(audited.at(-1)?.actor).toMatchObject({ kind: 'api-key' });
  });

  it('cancels a task, which then costs nothing', async () => {
    const client = await mcpClient(product.url, key, { era });
    const name = await toolOf(client, agent);
    const before = await balanceOf(admin);
    const leaving = new AbortController();
    const call = client.callTool(
      { name, arguments: QUESTION },
      { signal: leaving.signal, onprogress: () => leaving.abort() },
    );
    await expect(call).rejects.toThrow();
    await expect
      .poll(async () => (await admin.call<Task[]>(listTasks)).body[0]?.status)
      .toBe('cancelled');
    await expect.poll(() => balanceOf(admin)).toEqual(before);
  });
});

describe('a cancellation', () => {
  it('reaches the call on another instance', async () => {
    await using other = await startInternalSide(product);
    const client = await mcpClient(product.url, key);
    const name = await toolOf(client, agent);
    const session = { 'mcp-session-id': 'a-session', authorization: `Bearer ${key}` };
    const call = postMcp(
      product.url,
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: QUESTION } },
      session,
    );
    await vi.waitUntil(() => asked.length > 0);
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 7 },
    };
    const cancel = (by: Record<string, string>) =>
      fetch(`${other.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...by,
        },
        body: JSON.stringify(cancelled),
      });
    const editor = await newKey(admin, 'Editor');
    for (const others of [
      { ...session, 'mcp-session-id': 'other-session' },
      { ...session, authorization: `Bearer ${editor.key}` },
      { authorization: session.authorization },
    ]) {
      expect((await cancel(others)).status).toBe(202);
    }
    const { body: running } = await admin.call<Task[]>(listTasks);
    expect(running[0]?.status).toMatch(/queued|running/);
    expect((await cancel(session)).status).toBe(202);
    const { text } = await call;
    expect(text).toContain('"isError":true');
    expect(text).toContain('"status":"cancelled"');
  });
});

describe('a repeated call', () => {
  it('is the first task, and charged once, by the key of _meta or of the header', async () => {
    const header = crypto.randomUUID();
    const client = await mcpClient(product.url, key);
    const keyed = await mcpClient(product.url, key, { headers: { 'idempotency-key': header } });
    const name = await toolOf(client, agent);
    const before = await balanceOf(admin);
    const meta = { _meta: { [IDEMPOTENCY]: crypto.randomUUID() } };
    for (const call of [
      () => client.callTool({ name, arguments: QUESTION, ...meta }),
      () => keyed.callTool({ name, arguments: QUESTION }),
    ]) {
      const [first] = await Promise.all([call(), answerModel()]);
      const second = await call();
      expect(second.structuredContent).toEqual(first.structuredContent);
    }
    expect((await balanceOf(admin)).creditBalance).toBe(before.creditBalance - 2);
  });

  it('without a key is another task, whatever its JSON-RPC id', async () => {
    const name = await toolOf(await mcpClient(product.url, key), agent);
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: QUESTION },
    };
    const answers = [
      await Promise.all([
        postMcp(product.url, body, { authorization: `Bearer ${key}` }),
        answerModel(),
      ]),
      await Promise.all([
        postMcp(product.url, body, { authorization: `Bearer ${key}` }),
        answerModel(),
      ]),
    ];
    const ids = answers.map(([{ text }]) => /"taskId":"([^"]+)"/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(2);
  });

  it('of a batch needs a key for each call', async () => {
    const name = await toolOf(await mcpClient(product.url, key), agent);
    const call = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: QUESTION },
    });
    const { text } = await postMcp(product.url, [call(1), call(2)], {
      authorization: `Bearer ${key}`,
      'idempotency-key': 'one',
    });
    expect(text.match(/In a batch, send _meta/g)).toHaveLength(2);
    expect(asked).toEqual([]);
  });
});

describe('a key', () => {
  const named = (tools: readonly Tool[]) => tools.map(({ name }) => name);

  it('sees the tools of its role', async () => {
    const of = async (role: Role) => {
      const client = await mcpClient(product.url, (await newKey(admin, role)).key);
      return named((await client.listTools()).tools);
    };
    expect(await of('Viewer')).toEqual([
      'search_knowledge',
      'list_playbooks',
      'get_task',
      'watch_session',
      'get_balance',
    ]);
    expect(await of('Editor')).toEqual([
      'search_knowledge',
      'list_playbooks',
      'run_playbook',
      'get_task',
      'cancel_task',
      'start_session',
      'watch_session',
      'end_session',
      'get_balance',
      expect.stringMatching(/^ask_/),
    ]);
    expect(await of('Admin')).toContain('get_usage');
  });

  it('of a Viewer is refused what costs or changes something', async () => {
    const name = await toolOf(await mcpClient(product.url, key), agent);
    const client = await mcpClient(product.url, (await newKey(admin, 'Viewer')).key);
    const id = crypto.randomUUID();
    for (const call of [
      { name, arguments: QUESTION },
      { name: 'run_playbook', arguments: { playbookId: id, agent: agent.id, ...QUESTION } },
      { name: 'start_session', arguments: { agent: agent.id, goal: 'Find the opening hours' } },
      { name: 'cancel_task', arguments: { taskId: id } },
      { name: 'end_session', arguments: { sessionId: id } },
    ]) {
      const { isError, _meta } = await client.callTool(call);
      expect([call.name, isError, _meta?.[PROBLEM]]).toMatchObject([
        call.name,
        true,
        { status: 403, code: 'key-reads-only' },
      ]);
    }
    const usage = await client.callTool({ name: 'get_usage' });
    expect(usage._meta?.[PROBLEM]).toMatchObject({ status: 403, code: 'role-not-allowed' });
  });

  it('of another organization finds neither agent, article nor task', async () => {
    const client = await mcpClient(product.url, key);
    const name = await toolOf(client, agent);
    const { resources } = await client.listResources();
    const { client: stranger } = await registerOrganization(product.url);
    const other = await mcpClient(product.url, (await newKey(stranger, 'Admin')).key);
    expect((await other.listTools()).tools.some((tool) => tool.name.startsWith('ask_'))).toBe(
      false,
    );
    await expect(other.callTool({ name, arguments: QUESTION })).rejects.toThrow('There is no tool');
    await expect(other.callTool({ name, arguments: {} })).rejects.toThrow('There is no tool');
    expect((await other.listResources()).resources).toEqual([]);
    const uri = resources[0]?.uri ?? '';
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
    await expect(other.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });

  it('that is wrong, missing or a cookie is refused with where to read about keys', async () => {
    const cookie = cookieOf(admin);
    for (const headers of [{}, { cookie }, { authorization: `Bearer th_${'A'.repeat(43)}` }]) {
      const refused = await postMcp(product.url, PING, headers as Record<string, string>);
      expect(refused.status).toBe(401);
      const challenge = refused.headers.get('www-authenticate') ?? '';
      expect(challenge).toContain('Bearer realm="Tallyhand"');
      const [, path] = /resource_metadata="http:\/\/127\.0\.0\.1(\/[^"]+)"/.exec(challenge) ?? [];
      const metadata = await fetch(product.url + path);
      expect(await metadata.json()).toEqual({
        resource: 'http://127.0.0.1/mcp',
        resource_name: 'Tallyhand',
        bearer_methods_supported: ['header'],
        resource_documentation: 'http://127.0.0.1/documentation',
      });
    }
  });
});
