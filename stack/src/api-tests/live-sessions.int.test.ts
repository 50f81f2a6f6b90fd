import { chromiumsOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
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
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiClient, agentInput, registerOrganization } from '../testing/api-client.ts';
import { watchSession } from '../testing/live-viewer.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { startSite } from '../testing/site/site.ts';

vi.setConfig({ testTimeout: 90_000 });

let site: Awaited<ReturnType<typeof startSite>>;
let product: TestProduct;

beforeAll(async () => {
  site = await startSite();
  const allowPrivateHosts = new URL(site.url).host;
  product = await startTestProduct({ allowPrivateHosts }, { browser: {} });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
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
      { timeout: 60_000, interval: 200 },
    );
  return { client, params, read, until };
}

const balance = async (client: ApiClient) =>
  (await client.call<Organization>(getOrganization)).body;

describe('a session in a real browser', () => {
  it('reaches its goal before the eyes of who watches, one credit for each step', async () => {
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

  it('is steered by the person who took over, and goes on after', async () => {
    const { client, params, until } = await started({
      goal: `Find the three cheapest plans on ${site.origin}/plans and compare them`,
    });
    const viewer = await watch(client, params.id);
    await until('running');
    expect((await client.call(takeOverSession, { params })).status).toBe(200);
    const open = { type: 'input', kind: 'open', url: `${site.origin}/plans` };
    const isTaken = () =>
      viewer.heard.some((each) => each.type === 'action' && each.details === open.url);
    await vi.waitUntil(
      () => {
        if (!isTaken()) viewer.say(open);
        return isTaken();
      },
      { timeout: 20_000, interval: 1_000 },
    );
    expect((await client.call(handBackSession, { params })).status).toBe(200);
    const { session, steps } = await until('completed');
    const own = steps.filter(({ takenBy }) => takenBy === null);
    const persons = steps.filter(({ takenBy }) => takenBy !== null);
    expect(persons.map(({ action, creditsUsed }) => [action, creditsUsed])).toContainEqual([
      ...['open', 0],
    ]);
    expect(session.currentStep).toBe(own.length);
    viewer.close();
  });

  it('ends at once when it is terminated amid a step', async () => {
    const { client, params, until, read } = await started({
      goal: `Read ${site.origin}/hostile/never`,
    });
    await until('running');
    const isStuck = () => site.requests.some(({ path }) => path.startsWith('/hostile/never'));
    await vi.waitUntil(isStuck, { timeout: 20_000 });
    const before = performance.now();
    expect((await client.call(terminateSession, { params })).status).toBe(200);
    await vi.waitUntil(async () => (await balance(client)).reserved === 0);
    expect(performance.now() - before).toBeLessThan(5_000);
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
    const before = performance.now();
    await product[Symbol.asyncDispose]();
    expect(performance.now() - before).toBeLessThan(8_000);
    expect(chromiumsOf(process.pid)).toEqual([]);
  });
});
