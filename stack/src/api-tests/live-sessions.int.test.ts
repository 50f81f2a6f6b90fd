import { launchedFromNow } from '@tallyhand/browser-runner/browser/fixtures/processes';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  getSession,
  handBackSession,
  type Session,
  type SessionDetail,
  startSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { watchSession } from '../testing/scripted-runner.ts';
import { startSite } from '../testing/site/site.ts';

vi.setConfig({ testTimeout: 90_000 });

const launched = launchedFromNow();

let site: Awaited<ReturnType<typeof startSite>>;
let product: OwnProduct;
let isRunning = false;

beforeAll(async () => {
  site = await startSite();
});
beforeEach(async () => {
  if (isRunning) return;
  const allowPrivateHosts = `${new URL(site.url).host},127.0.0.1`;
  product = await startTestProduct({ allowPrivateHosts }, { browser: {} });
  isRunning = true;
});
async function stopped() {
  isRunning = false;
  await product[Symbol.asyncDispose]();
}
afterAll(async () => {
  await stopped();
  await site[Symbol.asyncDispose]();
});

const watch = (client: ApiClient, sessionId: string) =>
  watchSession(product.url, client, sessionId);

async function started(body: { goal: string; maxSteps?: number }) {
  const { client } = await registerOrganization(product.url);
  const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
  const answer = await client.call<Session>(startSession, { params: { id: agent.body.id }, body });
  expect(answer.status).toBe(201);
  const params = { id: answer.body.id };
  const read = async () => (await client.call<SessionDetail>(getSession, { params })).body;
  const until = (status: Session['status']) =>
    vi.waitUntil(
      async () => {
        const detail = await read();
        return detail.session.status === status && detail;
      },
      { interval: 200 },
    );
  return { client, params, read, until };
}

/** A small site whose prices load only on release. */
async function startSlowShop() {
  const waiting = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const pages: Readonly<Record<string, string>> = {
    '/': '<title>Shop</title><h1>Shop</h1><p>We rent bicycles in Berlin.</p>',
    '/prices': '<title>Prices</title><h1>Prices</h1><p>The plan costs 9 EUR per month.</p>',
    '/contact': '<title>Contact</title><h1>Contact</h1><p>The telephone number is 030 1234567.</p>',
  };
  const server = await httpServer(async (request, response) => {
    const path = request.url ?? '/';
    if (path === '/prices') {
      waiting.resolve();
      await answer.promise;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(pages[path] ?? '');
  });
  return {
    origin: server.origin,
    /** Resolves when the prices are requested. */
    isWaiting: waiting.promise,
    answer: answer.resolve,
    async [Symbol.asyncDispose]() {
      answer.resolve();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Opens an address as the member who took over, until the browser accepts it. */
async function steerTo(viewer: Awaited<ReturnType<typeof watch>>, url: string) {
  const isTaken = () => viewer.heard.some((each) => each.type === 'action' && each.details === url);
  await vi.waitUntil(
    () => {
      if (!isTaken()) viewer.say({ type: 'input', kind: 'open', url });
      return isTaken();
    },
    { interval: 1_000 },
  );
}

const balance = async (client: ApiClient) =>
  (await client.call<Organization>(getOrganization)).body;

describe('a session in a real browser', () => {
  it('reaches its goal in front of its viewers, one credit per step', async () => {
    const { client, params, until } = await started({
      goal: `Find the three cheapest plans on ${site.origin}/plans and compare them`,
    });
    const viewer = await watch(client, params.id);
    const { session, steps } = await until('completed');
    expect(session).toMatchObject({ endReason: 'goal-reached', totalCreditsUsed: steps.length });
    expect(session.workspaceData.finalOutcome?.keyFindings.length).toBeGreaterThan(0);
    expect(steps.at(-1)?.action).toBe('finish');
    expect(steps[0]?.metadata.screenshotUrls).toHaveLength(1);
    const credits = { creditBalance: 100 - steps.length, reserved: 0 };
    await vi.waitUntil(async () => (await balance(client)).reserved === 0);
    expect(await balance(client)).toMatchObject(credits);
    await vi.waitUntil(() =>
      viewer.heard.some((each) => each.type === 'state' && each.status === 'completed'),
    );
    const actions = viewer.heard.flatMap((each) => (each.type === 'action' ? [each.action] : []));
    const [first] = viewer.heard;
    const before = first?.type === 'initial_state' ? first.actions.map(({ action }) => action) : [];
    expect([...before, ...actions]).toEqual(steps.map(({ action }) => action));
    expect(viewer.heard.some(({ type }) => type === 'live_update')).toBe(true);
    viewer.close();
  });

  it('reports the title of a page, and names an address that is not allowed', async () => {
    const title = await started({ goal: `Visit ${site.origin}/ and report the page title.` });
    const { session } = await title.until('completed');
    expect(session.endReason).toBe('goal-reached');
    expect(session.workspaceData.finalOutcome?.keyFindings[0]).toMatch(/^Title: /);
    const refused = await started({ goal: 'Visit http://10.0.0.1/ and report the page title.' });
    const failed = await refused.until('failed');
    expect(failed.session.errorMessage).toMatch(/10\.0\.0\.1 leads to a private address/);
  });

  it('completes with the findings when a page does not answer the question', async () => {
    const goal = `Which university did the founders of the shop attend? ${site.origin}/help`;
    const { until } = await started({ goal });
    const { session, steps } = await until('completed');
    expect(session).toMatchObject({
      endReason: 'answer-uncertain',
      errorMessage: null,
      totalCreditsUsed: steps.length,
    });
    const outcome = session.workspaceData.finalOutcome;
    expect(outcome?.summary).toContain('No reliable answer was found.');
    expect(outcome?.keyFindings.join('\n')).toContain(`${site.origin}/help`);
  });

  it('is steered by the member who took over, plans again after the step that was cut off, and neither fails nor charges it', async () => {
    const slow = await startSlowShop();
    await using _slow = slow;
    const { client, params, until } = await started({
      goal: `Read ${slow.origin}/, then ${slow.origin}/prices, then ${slow.origin}/contact. What does the plan cost? What is the telephone number?`,
    });
    const viewer = await watch(client, params.id);
    await slow.isWaiting;
    expect((await client.call(takeOverSession, { params })).status).toBe(200);
    await steerTo(viewer, `${slow.origin}/contact`);
    slow.answer();
    expect((await client.call(handBackSession, { params })).status).toBe(200);
    const { session, steps } = await until('completed');
    const cut = steps.filter(({ interrupted }) => interrupted);
    expect(cut).toMatchObject([
      { action: 'open', input: `${slow.origin}/prices`, creditsUsed: 0, charge: null },
    ]);
    const own = steps.filter(({ takenBy, interrupted }) => takenBy === null && !interrupted);
    const persons = steps.filter(({ takenBy }) => takenBy !== null);
    expect(persons.map(({ action, creditsUsed }) => [action, creditsUsed])).toContainEqual([
      'open',
      0,
    ]);
    expect(own.every(({ success }) => success)).toBe(true);
    expect(own.map(({ input }) => input)).toContain(`${slow.origin}/prices`);
    expect(session).toMatchObject({ currentStep: own.length, totalCreditsUsed: own.length });
    const found = session.workspaceData.finalOutcome?.keyFindings.join();
    expect(found).toContain('9 EUR');
    expect(found).toContain('030 1234567');
    await vi.waitUntil(async () => (await balance(client)).reserved === 0);
    expect((await balance(client)).creditBalance).toBe(100 - own.length);
    viewer.close();
  });

  it('ends when it is terminated during a step that never ends', async () => {
    const { client, params, until, read } = await started({
      goal: `Read ${site.origin}/hostile/never`,
    });
    await until('running');
    const isStuck = () => site.requests.some(({ path }) => path.startsWith('/hostile/never'));
    await vi.waitUntil(isStuck);
    expect((await client.call(terminateSession, { params })).status).toBe(200);
    await vi.waitUntil(async () => (await balance(client)).reserved === 0);
    const { session, steps } = await read();
    expect(session).toMatchObject({ status: 'terminated', totalCreditsUsed: 0 });
    expect(steps).toEqual([]);
  });

  it('leaves nothing behind when the product stops, whoever steers and watches', async () => {
    const { client, params, until } = await started({ goal: `Read ${site.origin}/hostile/never` });
    const viewer = await watch(client, params.id);
    await until('running');
    expect((await client.call(takeOverSession, { params })).status).toBe(200);
    await vi.waitUntil(() =>
      viewer.heard.some((each) => each.type === 'state' && each.control.by === 'person'),
    );
    viewer.say({ type: 'input', kind: 'open', url: `${site.origin}/hostile/never` });
    await stopped();
    expect(launched()).toEqual([]);
  });
});
