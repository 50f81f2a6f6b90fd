import {
  assignResources,
  changeAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { type ChatReply, chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  callBrowserTool,
  closeBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  createTool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { type ApiClient, apiClient, toolInput } from '@tallyhand/test-kit/api-client';
import { localServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PIXEL } from '../testing/scripted-runner.ts';
import {
  type Party,
  type SessionsProduct,
  startSessionsProduct,
} from '../testing/sessions-product.ts';

const startUrl = 'https://plans.example/';

type Call = BodyOf<typeof callBrowserTool>;

let at: SessionsProduct;
let party: Party;
/** Requests figures from the instance that has the runners' token. */
let client: ApiClient;
let toolId = '';
const calls: Call[] = [];
const closed: string[] = [];
let isBroken = false;

/** A runner, as far as tools call it. */
const server = await localServer((request, response, seen) => {
  const body = JSON.parse(seen.body);
  response.setHeader('content-type', 'application/json');
  // A task runs on whichever instance claims its job.
  const tokens = [at.internal.token, at.product.config.internalToken];
  const isKnown = tokens.some((token) => request.headers.authorization === `Bearer ${token}`);
  if (!isKnown) response.statusCode = 401;
  else if (isBroken) response.statusCode = 500;
  if (request.url === closeBrowserTool.path) {
    closed.push(body.browserId);
    response.end(JSON.stringify({ ok: true }));
    return;
  }
  expect(request.url).toBe(callBrowserTool.path);
  const call = callBrowserTool.body?.parse(body);
  if (call) calls.push(call);
  const isPicture = call?.operation === 'screenshot';
  const output = isPicture ? 'A picture.' : `Plans at ${call?.args.url ?? 'the open page'}`;
  const screenshot = isPicture ? PIXEL : null;
  response.end(JSON.stringify({ success: true, output, screenshot }));
});

beforeAll(async () => {
  at = await startSessionsProduct();
  party = await at.newParty();
  const body = { ...toolInput, type: 'browser', config: { extras: { startUrl } } };
  const made = await party.client.call<{ id: string }>(createTool, {
    body: { ...body, authCredentials: {} },
  });
  toolId = made.body.id;
  client = apiClient(at.internal.url);
  for (const [name, value] of party.client.cookies) client.cookies.set(name, value);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});
beforeEach(() => {
  calls.length = 0;
  isBroken = false;
});

/** The runner announces its address. */
const appear = () => at.runner().poll({ address: server.origin });

const test = async (input: string) =>
  (await client.call<ToolTestResult>(testTool, { params: { id: toolId }, body: { input } })).body;

/** The agent, which may use the tool and asks before it sends forms. */
async function askingAgent() {
  const params = { id: party.agentId };
  await party.client.call(assignResources, { params, body: { tools: [toolId] } });
  await party.client.call(changeAgent, { params, body: { formPolicy: 'ask' } });
  return params;
}

describe('a browser tool', () => {
  it('waits for a runner that was requested', async () => {
    await at.internal.opened.kit.pool.query('delete from operational.runners');
    const before = at.internal.wanted();
    const answer = test('');
    await expect.poll(() => at.internal.wanted()).toBeGreaterThan(before);
    expect(calls).toEqual([]);
    await appear();
    expect(await answer).toMatchObject({ success: true, output: `Plans at ${startUrl}` });
  });

  it('is tested on its start page, or on the page that was typed', async () => {
    await appear();
    expect(await test('what does it cost?')).toMatchObject({ output: `Plans at ${startUrl}` });
    expect(await test('https://other.example/')).toMatchObject({
      success: true,
      error: null,
      output: 'Plans at https://other.example/',
    });
    expect(calls.map(({ operation, startUrl: from }) => [operation, from])).toEqual([
      ['open', startUrl],
      ['open', startUrl],
    ]);
    const ids = calls.map(({ browserId }) => browserId);
    expect(new Set(ids).size).toBe(2);
    await expect.poll(() => closed).toEqual(expect.arrayContaining(ids));
  });

  it('reports that the browser does not answer', async () => {
    await appear();
    isBroken = true;
    expect(await test('')).toMatchObject({
      success: false,
      output: null,
      error: 'The browser did not answer in time.',
    });
  });

  it('opens pages for a reply, in one browser that is closed after it', async () => {
    await appear();
    const params = await askingAgent();
    const message = 'Use Orders to open https://shop.example.com/plans';
    const reply = await client.call<ChatReply>(chatWithAgent, { params, body: { message } });
    expect(reply.body.toolCalls).toMatchObject([
      { toolId, success: true, output: 'Plans at https://shop.example.com/plans' },
    ]);
    // The agent asks before forms, which a reply can't.
    expect(calls).toMatchObject([{ operation: 'open', startUrl, maySendForms: false }]);
    await expect.poll(() => closed).toContain(calls[0]?.browserId);
  });

  it('is run by a task', async () => {
    await appear();
    const params = await askingAgent();
    const body = { input: 'open https://shop.example.com/plans', type: 'tool_run', toolId };
    const ran = await client.call<ExecutionResult>(executeTask, { params, body });
    expect(ran.body).toMatchObject({ success: true, creditCost: 1 });
    expect(ran.body.output).toContain('Plans at https://shop.example.com/plans');
    await expect.poll(() => closed).toContain(ran.body.taskId);
    await party.client.call(changeAgent, { params, body: { formPolicy: 'allow' } });
    await client.call<ExecutionResult>(executeTask, { params, body });
    expect(calls.map(({ maySendForms }) => maySendForms)).toEqual([false, true]);
  });

  it('stores its pictures, and gives their addresses', async () => {
    await appear();
    const { features, kit } = at.internal.opened;
    const workId = party.agentId;
    const [one] = await features.agentTools([toolId], party.organizationId, workId);
    const operation = one?.tool.operations.find(({ name }) => name === 'screenshot');
    if (!one || !operation) throw new Error('The tool takes no pictures');
    const answer = await one.tool.call(operation, {}, AbortSignal.timeout(60_000));
    const path = /\/api\/blobs\/[0-9a-f]{64}$/.exec(answer.output)?.[0] ?? '';
    const picture = await fetch(`${at.product.url}${path}`, {
      headers: { cookie: [...party.client.cookies].map((each) => each.join('=')).join('; ') },
    });
    expect(Buffer.from(await picture.arrayBuffer()).toString('base64')).toBe(PIXEL);
    const { rows } = await kit.pool.query('select hash from operational.images');
    expect(rows).toEqual([]);
  });
});
