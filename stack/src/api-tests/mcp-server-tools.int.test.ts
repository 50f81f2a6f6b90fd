import { request as send } from 'node:http';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import {
  type Agent,
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type ApiClient, agentInput, playbookInput } from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
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
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let admin: ApiClient;
let key: string;
let agent: Agent;

beforeAll(async () => {
  product = await sharedProduct();
  ({ admin, agent, key } = await newMcpParty(product.url));
});

describe('a request', () => {
  /** fetch sets its own Host. */
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const all = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      };
      const sent = send(`${product.url}/mcp`, { method: 'POST', headers: all }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(PING));
    });

  it('of another site or to another host is refused', async () => {
    expect(await statusWith({})).toBe(200);
    expect(await statusWith({ origin: product.url })).toBe(200);
    expect(await statusWith({ origin: 'http://127.0.0.1' })).toBe(200);
    expect(await statusWith({ origin: 'https://other.example' })).toBe(403);
    expect(await statusWith({ origin: 'null' })).toBe(403);
    expect(await statusWith({ host: 'rebound.example' })).toBe(403);
    const rebound = { host: 'rebound.example', origin: 'http://rebound.example' };
    expect(await statusWith(rebound)).toBe(403);
  });

  it('with another method than POST is refused', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, headers } = await fetch(`${product.url}/mcp`, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('that is malformed or too large is an error of JSON-RPC', async () => {
    const cases: readonly [string, unknown, number, number][] = [
      ['no JSON', '{', 400, -32700],
      ['nothing', '', 400, -32700],
      ['no object', '7', 400, -32600],
      ['no JSON-RPC', { method: 'ping' }, 400, -32600],
      ['an empty batch', [], 400, -32600],
      ['a long batch', Array.from({ length: 101 }, () => PING), 400, -32600],
      ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`, 400, -32700],
      ['a null character', { ...PING, params: { a: '\u0000' } }, 422, -32600],
      ['a huge body', 'x'.repeat(1024 * 1024 + 1), 413, -32000],
    ];
    for (const [what, body, status, code] of cases) {
      const answer = await postMcp(product.url, body, { authorization: `Bearer ${key}` });
      const { error } = JSON.parse(answer.text);
      expect([what, answer.status, error.code]).toEqual([what, status, code]);
    }
  });

  it('for an unknown method, tool, prompt, resource or cursor is an error of JSON-RPC', async () => {
    const client = await mcpClient(product.url, key);
    for (const call of [
      () => client.callTool({ name: 'nothing' }),
      () => client.callTool({ name: `ask_${'0'.repeat(25)}`, arguments: QUESTION }),
      () => client.getPrompt({ name: 'nothing' }),
      () => client.readResource({ uri: 'file:///etc/passwd' }),
      () => client.listTools({ cursor: 'nothing' }),
      () => client.listResources({ cursor: 'nothing' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: -32602 });
    }
    const { text } = await postMcp(
      product.url,
      { ...PING, method: 'nothing/at-all' },
      {
        authorization: `Bearer ${key}`,
      },
    );
    expect(text).toContain('-32601');
  });
});

describe('a tool', () => {
  it('reports a wrong or long input as its result', async () => {
    const client = await mcpClient(product.url, key);
    const name = await toolOf(client, agent);
    for (const input of [undefined, '', 7, 'x'.repeat(32_001)]) {
      const result = (await client.callTool({ name, arguments: { input } })) as CallToolResult;
      expect(result.isError).toBe(true);
      expect(result._meta?.[PROBLEM]).toMatchObject({ code: 'validation-failed' });
    }
    const more = await client.callTool({ name, arguments: { ...QUESTION, more: 1 } });
    expect(more.isError).toBe(true);
    expect((await admin.call<Task[]>(listTasks)).body).toEqual([]);
  });

  it('is listed for each active agent, over pages', async () => {
    ({ admin, agent, key } = await newMcpParty(product.url));
    for (let number = 0; number < 104; number += 1) {
      const body = { ...agentInput, name: `Agent ${number}`, isActive: number !== 0 };
      await admin.call(createAgent, { body });
    }
    await balanceOf(admin);
    const client = await mcpClient(product.url, key);
    const { tools, nextCursor } = await client.listTools({});
    const { tools: more, nextCursor: end } = await client.listTools({ cursor: nextCursor });
    expect(end).toBeUndefined();
    const agents = [...tools, ...more].filter(({ name }) => name.startsWith('ask_'));
    expect(new Set(agents.map(({ name }) => name)).size).toBe(104);
    expect(agents.map(({ title }) => title)).not.toContain('Agent 0');
  });

  it('finds articles, and tells the balance and the usage', async () => {
    const client = await mcpClient(product.url, key);
    const found = await client.callTool({
      name: 'search_knowledge',
      arguments: { query: 'Returns' },
    });
    expect(found.structuredContent).toMatchObject({
      articles: [{ title: 'Returns', uri: expect.stringMatching(/^tallyhand:/) }],
    });
    const { creditBalance, reserved } = await balanceOf(admin);
    const told = await client.callTool({ name: 'get_balance' });
    expect(told.structuredContent).toEqual({ creditBalance, reserved });
    const usage = await client.callTool({ name: 'get_usage', arguments: { by: 'agent' } });
    expect(usage.structuredContent).toHaveProperty('usage');
  });
});

describe('a playbook', () => {
  it('is a prompt, and runs with an agent that it is assigned to', async () => {
    ({ admin, agent, key } = await newMcpParty(product.url));
    const { body: playbook } = await admin.call<Playbook>(createPlaybook, { body: playbookInput });
    const client = await mcpClient(product.url, key);
    const args = { playbookId: playbook.id, input: 'Order 7' };
    const none = await client.callTool({ name: 'run_playbook', arguments: args });
    expect(none._meta?.[PROBLEM]).toMatchObject({ code: 'no-playbook-assigned' });
    const assigned = { params: { id: agent.id }, body: { playbooks: [playbook.id] } };
    await admin.call(assignResources, assigned);
    await balanceOf(admin);
    const [prompt] = (await client.listPrompts()).prompts;
    expect(prompt).toMatchObject({ title: playbook.title, description: playbook.description });
    const { messages } = await client.getPrompt({
      name: prompt?.name ?? '',
      arguments: { input: 'Order 7' },
    });
    expect(messages).toMatchObject([
      {
        role: 'user',
        content: { text: expect.stringMatching(/1\. Find the order[\s\S]*Order 7/) },
      },
    ]);
    const listed = await client.callTool({ name: 'list_playbooks' });
    expect(listed.structuredContent).toMatchObject({ playbooks: [{ id: playbook.id }] });
    const progress: Progress[] = [];
    const running = client.callTool(
      { name: 'run_playbook', arguments: args },
      { onprogress: (one) => progress.push(one) },
    );
    expect((await running).structuredContent).toMatchObject({ status: 'success' });
    expect(progress.map(({ message }) => message)).toContain('Step 1: Find the order');
  });
});

describe('a session', () => {
  it('is started once, watched and ended', async () => {
    const client = await mcpClient(product.url, key);
    const start = {
      name: 'start_session',
      arguments: { agent: await toolOf(client, agent), goal: 'Find the opening hours' },
      _meta: { [IDEMPOTENCY]: crypto.randomUUID() },
    };
    const { structuredContent: started } = await client.callTool(start);
    expect(started).toMatchObject({ status: 'queued' });
    expect((await client.callTool(start)).structuredContent).toEqual(started);
    const { sessionId } = started as { sessionId: string };
    const watch = (waitSeconds: number) =>
      client.callTool({ name: 'watch_session', arguments: { sessionId, waitSeconds } });
    expect((await watch(0)).structuredContent).toMatchObject({ status: 'queued' });
    const watching = watch(60);
    await client.callTool({ name: 'end_session', arguments: { sessionId } });
    expect((await watching).structuredContent).toMatchObject({ status: 'terminated' });
  });
});

describe('an article', () => {
  it('is a resource, listed and read as Markdown', async () => {
    const client = await mcpClient(product.url, key);
    const [resource] = (await client.listResources()).resources;
    expect(resource).toMatchObject({ title: 'Returns', mimeType: 'text/markdown' });
    const { contents } = await client.readResource({ uri: resource?.uri ?? '' });
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^# Returns\n\nItems can be/) }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'tallyhand://articles/{id}' }]);
  });
});
