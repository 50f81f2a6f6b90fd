import {
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { fakeHost } from '@tallyhand/browser-runner/testing/fake-browser';
import { finish, note, scriptedPlanner } from '@tallyhand/browser-runner/testing/scripted-planner';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type Session,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { type Collector, startCollector } from '@tallyhand/service-kit/tracing/testing/collector';
import { correlationIdOf } from '@tallyhand/service-kit/tracing/trace-context';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
  testPassword,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { attributesOf, newTrace, traceIn } from '../testing/traces.ts';

const token = 'canary-token-of-the-shop';
const modelKey = 'sk-canary-0123456789';
const question = 'Where is order 7 of canary-customer@example.com?';
const said = 'canary-answer: it was sent.';

const openapi = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: { '/orders': { get: { operationId: 'getOrders', summary: 'Lists the orders' } } },
});

let collector: Collector;
let shop: HttpServer;
/** Headers of outgoing requests. */
const outside: (string | undefined)[] = [];
let peer: Peer;
let product: OwnProduct;
let client: ApiClient;
let email = '';
let agentId = '';

beforeAll(async () => {
  collector = await startCollector();
  shop = await httpServer(({ headers }, response) => {
    outside.push(headers.traceparent?.toString());
    response.setHeader('content-type', 'application/json');
    response.end('{"orders":["canary-order"]}');
  });
  peer = await openAiPeer((response, { body }) => {
    const used = body.messages.some(({ tool_call_id }) => tool_call_id !== undefined);
    const name = body.tools?.[0]?.function.name ?? '';
    sendJson(response, 200, used ? completion({ answer: said }) : calling([name, {}]));
  });
  product = await startTestProduct(
    {
      tracing: { endpoint: collector.endpoint, ratio: 1 },
      allowPrivateHosts: shop.host,
      model: { openAiApiKey: modelKey, openAiBaseUrl: peer.baseURL, openAiModel: 'peer' },
    },
    { browser: { host: fakeHost(), planner: scriptedPlanner(note('It is cheap.'), finish()) } },
  );
  const registered = await registerOrganization(product.url);
  client = registered.client;
  email = registered.user.email;
  const made = await agentWithArticle(client);
  agentId = made.agent.id;
  const config = { baseUrl: `${shop.origin}/api`, authType: 'bearer', openapi };
  const body = { ...toolInput, config, authCredentials: { token } };
  const tool = await client.call<Tool>(createTool, { body });
  await client.call(assignResources, {
    params: { id: agentId },
    body: { articles: [made.article.id], tools: [tool.body.id], playbooks: [] },
  });
});
afterAll(async () => {
  for (const one of [product, peer, collector, shop]) await one[Symbol.asyncDispose]();
});

const spansOf = (traceId: string) => traceIn(collector, traceId).spans();
const pathOf = (traceId: string, name: string) => traceIn(collector, traceId).pathOf(name);

const CALL = 'POST /api/agents/:id/execute';
const JOB = ['run-task', CALL];
/** Where the reaction to its event was quicker to queue the job than the call. */
const BY_REACTION = ['react run-requested-tasks', 'append TaskRequested', 'RequestTask'];
const byReaction = (path: readonly string[]) =>
  path.flatMap((name) => (name === 'run-task' ? [name, ...BY_REACTION] : [name]));

describe('a task', () => {
  const { traceId, headerOf } = newTrace();
  const [clicked, shown] = ['00f067aa0ba902b7', '00f067aa0ba902b8'];
  let correlationId: string | null;

  beforeAll(async () => {
    const executed = await client.call<ExecutionResult>(executeTask, {
      params: { id: agentId },
      body: { input: question, type: 'tool_run' },
      headers: headerOf(clicked),
    });
    expect(executed.body).toMatchObject({ success: true, creditCost: 1 });
    correlationId = executed.headers.get('tallyhand-correlation-id');
    const params = { id: executed.body.taskId };
    const read = await client.call(getTask, { params, headers: headerOf(shown) });
    expect(read.status).toBe(200);
  });

  it.each([
    ['RequestTask', ['RequestTask', CALL]],
    ['project CreditsReserved', ['append CreditsReserved', 'ReserveCredits', CALL]],
    ['project TaskRequested', ['append TaskRequested', 'RequestTask', CALL]],
    ['react run-requested-tasks', ['append TaskRequested', 'RequestTask', CALL]],
    ['run-task', [CALL]],
    ['chat peer', JOB],
    ['HTTP GET', JOB],
    ['project TaskStarted', ['append TaskStarted', 'StartTask', ...JOB]],
    ['project TaskSucceeded', ['append TaskSucceeded', 'SucceedTask', ...JOB]],
    ['project CreditsCharged', ['append CreditsCharged', 'ChargeCredits', ...JOB]],
  ])('is one trace from the click on: %s', async (name, above) => {
    const path = above[0] === name ? above : [name, ...above];
    const paths = [path, byReaction(path)];
    await vi.waitFor(() => expect(paths).toContainEqual(pathOf(traceId, name)));
  });

  it('is below the calls of the browser, and ends with the read that shows it', async () => {
    const read = 'GET /api/tasks/:id';
    await vi.waitFor(() => expect(pathOf(traceId, read)).toEqual([read]));
    const parentOf = (name: string) =>
      spansOf(traceId).find((span) => span.name === name)?.parentSpanId;
    expect(parentOf(CALL)).toBe(clicked);
    expect(parentOf(read)).toBe(shown);
    expect(spansOf(traceId).some((span) => /^read /.test(span.name))).toBe(true);
  });

  it('has the trace as its correlation id', () => {
    expect(correlationId).toBe(correlationIdOf({ traceId }));
  });

  it('does not leave the product', () => {
    expect(outside).toEqual([undefined]);
  });

  it('leaves no word, secret or person in any span', async () => {
    const { body } = await client.call<Organization>(getOrganization);
    // Work of other organizations in this process, such as polling mailboxes, is traced here too.
    const foreign = collector.spans.filter((span) => {
      const organization = attributesOf(span)['tallyhand.organization'];
      return organization !== undefined && organization !== body.id;
    });
    const traces = new Set(foreign.map((span) => span.traceId));
    const sent = JSON.stringify(collector.spans.filter((span) => !traces.has(span.traceId)));
    expect(sent).toContain(traceId);
    const canaries = ['canary', token, modelKey, question, said, email, testPassword, '127.0.0.1'];
    for (const canary of canaries) expect(sent).not.toContain(canary);
    for (const value of client.cookies.values()) {
      if (value.length > 20) expect(sent).not.toContain(value);
    }
  });
});

describe('a call without a trace', () => {
  it('begins one, which is its correlation id', async () => {
    const { headers } = await client.call(getCurrentUser);
    const traceId = headers.get('tallyhand-correlation-id')?.replaceAll('-', '') ?? '';
    const call = `GET ${getCurrentUser.path}`;
    await vi.waitFor(() => expect(pathOf(traceId, call)).toEqual([call]));
  });

  it('with an invalid traceparent starts a new one', async () => {
    const forged = `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`;
    const { headers } = await client.call(getCurrentUser, { headers: { traceparent: forged } });
    expect(headers.get('tallyhand-correlation-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe('a step of a session', () => {
  it('is one trace over the runner, its calls and what they store', async () => {
    const { body } = await client.call<Session>(startSession, {
      params: { id: agentId },
      body: { goal: 'Find the canary price' },
    });
    expect(body.id).toBeDefined();
    const stepped = () =>
      collector.spans.find((span) => span.name === 'append StepTaken') ??
      expect.fail('There is no step yet');
    const { traceId } = await vi.waitFor(stepped);
    await vi.waitFor(() => {
      expect(pathOf(traceId, 'act: note')).toEqual(['act: note', 'session step']);
      expect(pathOf(traceId, 'project StepTaken')?.at(-1)).toBe('session step');
    });
    const names = spansOf(traceId).map(({ name }) => name);
    expect(names).toContain('POST /internal/sessions/:id/steps/:number/begin');
    await vi.waitFor(async () => {
      const { body } = await client.call<Organization>(getOrganization);
      expect(body.reserved).toBe(0);
    });
  });
});
