import {
  type Agent,
  changeAgent,
  createAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AskingSession,
  clicks,
  opens,
  type Turn,
  types,
  WrittenPlanner,
} from '../testing/asking-sessions.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { type Site, startSite } from '../testing/site/site.ts';

// Ends what hangs: a test goes through several sessions.
vi.setConfig({ testTimeout: 120_000 });

const planner = new WrittenPlanner();
let site: Site;
let product: OwnProduct;
let client: ApiClient;
let changing: Changing;
let renewing: Changing;

type Changing = AsyncDisposable & {
  readonly origin: string;
  readonly posted: () => number;
  /** Resolves when the page has changed its form. */
  readonly change: () => Promise<void>;
};

const UNREAD = `<script>Element.prototype.getAttribute = () => { throw new Error('No') }</script>`;

/** A page that changes a field of its form when the test says so. At `/unread` it can't be read. */
async function startChanging(type: 'text' | 'hidden'): Promise<Changing> {
  const [told, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let posted = 0;
  const server = await httpServer(async ({ url, method }, response) => {
    if (method === 'POST') posted += 1;
    if (url === '/told') await told.promise;
    if (url === '/changed') changed.resolve();
    response.setHeader('content-type', 'text/html').end(`<title>Form</title>
      <form method="post"><input type="${type}" name="to" value="a">
      <button>Send it</button></form>
      ${url === '/unread' ? UNREAD : ''}<script>fetch('/told').then(() => {
        document.forms[0].elements.to.value = 'b';
        return fetch('/changed');
      });</script>`);
  });
  return {
    ...server,
    posted: () => posted,
    async change() {
      told.resolve();
      await changed.promise;
    },
  };
}

beforeAll(async () => {
  site = await startSite();
  changing = await startChanging('text');
  renewing = await startChanging('hidden');
  const hosts = [site.url, changing.origin, renewing.origin].map((url) => new URL(url).host);
  const allowPrivateHosts = hosts.join(',');
  product = await startTestProduct({ allowPrivateHosts }, { browser: { planner } });
});
beforeEach(async () => {
  site.requests.length = 0;
  ({ client } = await registerOrganization(product.url));
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await changing[Symbol.asyncDispose]();
  await renewing[Symbol.asyncDispose]();
});

/** Opens the contact form and fills it. */
const contact = () => [
  opens(`${site.origin}/contact`),
  types('Your name', 'Ada'),
  types('Your e-mail', 'ada@example.com'),
  types('Message', 'Hello'),
];
const sends = clicks('Send message');
const posted = () => site.requests.filter(({ method }) => method === 'POST');

/** A session of an agent with this policy; by default that of a new agent. */
async function run(turns: readonly Turn[], fields: object = {}) {
  planner.turns = turns;
  const body = { ...agentInput, ...fields };
  const agent = await client.call<{ id: string }>(createAgent, { body });
  return { session: await AskingSession.start(client, agent.body.id) };
}

describe('a form in a session', () => {
  it('waits for a person, who sees what it sends, and is sent as it stands once it is approved', async () => {
    const { session } = await run([...contact(), sends]);
    const { approvals } = await session.waiting();
    expect(approvals).toMatchObject([
      {
        toolId: null,
        toolVersion: null,
        toolName: new URL(site.url).host,
        operation: 'submit-form',
        decision: null,
      },
    ]);
    expect(JSON.parse(approvals[0]?.arguments ?? '')).toEqual({
      page: `${site.origin}/contact`,
      address: `${site.origin}/contact`,
      method: 'POST',
      button: 'Send message',
      fields: { name: 'Ada', email: 'ada@example.com', message: 'Hello' },
    });
    // It is asked about each time, and nothing of it is changed by the person.
    const changed = await session.decide({ decision: 'approved', arguments: { fields: {} } });
    expect([changed.status, changed.body.errors?.[0]?.path]).toEqual([422, 'arguments']);
    const always = await session.decide({ decision: 'approved', forRun: true });
    expect([always.status, always.body.errors?.[0]?.path]).toEqual([422, 'forRun']);
    expect(posted()).toEqual([]);
    expect((await session.decide({ decision: 'approved' })).status).toBe(200);
    const { steps } = await session.ended();
    expect(steps[4]).toMatchObject({ action: 'click', success: true });
    expect(posted()).toMatchObject([{ path: '/contact' }]);
  });

  it('is not sent after a refusal, which the agent reads, or where it cannot be seen', async () => {
    const before = changing.posted();
    const unread = [opens(`${changing.origin}/unread`), clicks('Send it')];
    const { session } = await run([...contact(), sends, ...unread]);
    await session.waiting();
    await session.decide({ decision: 'refused', note: 'Write to another address.' });
    const { steps, approvals } = await session.ended();
    expect(steps[4]).toMatchObject({
      success: false,
      creditsUsed: 0,
      output: 'A person refused this form: Write to another address.',
    });
    expect(posted()).toEqual([]);
    expect([approvals.length, steps[6]?.success]).toEqual([1, false]);
    expect(steps[6]?.output).toContain('could not be seen');
    expect(changing.posted()).toBe(before);
  });

  it('hides passwords from the person who decides, and is not asked about if it only searches', async () => {
    const { session } = await run([
      opens(`${site.origin}/`),
      types('Search the shop', 'tent', true),
      opens(`${site.origin}/login`),
      types('User name', 'kari'),
      types('Password', 'outdoors-2026', true),
    ]);
    const detail = await session.waiting();
    expect(detail.steps[1]).toMatchObject({ action: 'type', success: true });
    expect(site.requests.some(({ path }) => path.includes('tent'))).toBe(true);
    expect(JSON.parse(detail.approvals[0]?.arguments ?? '')).toMatchObject({
      fields: { name: 'kari', password: '••••••' },
    });
    await session.decide({ decision: 'approved' });
    const ended = await session.ended();
    expect(ended.approvals).toHaveLength(1);
    // The password itself is sent.
    expect(ended.steps[4]?.metadata.url).toBe(`${site.origin}/account`);
    expect(JSON.stringify([detail, ended])).not.toContain('outdoors-2026');
  });

  it('is not sent if the page has changed while it waited, unless it renewed only what it hides', async () => {
    const before = changing.posted();
    const { session } = await run([
      opens(`${changing.origin}/`),
      clicks('Send it'),
      opens(`${renewing.origin}/`),
      clicks('Send it'),
    ]);
    await session.waiting();
    await changing.change();
    await session.decide({ decision: 'approved' });
    const { steps } = await session.waiting(2);
    expect(steps[1]).toMatchObject({ success: false });
    expect(steps[1]?.output).toContain('has changed');
    expect(changing.posted()).toBe(before);

    await renewing.change();
    await session.decide({ decision: 'approved' });
    expect((await session.ended()).steps[3]).toMatchObject({ success: true });
    expect(renewing.posted()).toBe(1);
  });

  it('is sent without asking if the agent may, also unread, and never if it may not', async () => {
    const before = changing.posted();
    const unread = [opens(`${changing.origin}/unread`), clicks('Send it')];
    const allowed = await run([...contact(), sends, ...unread], { formPolicy: 'allow' });
    const sent = await allowed.session.ended();
    expect([sent.approvals, sent.steps[4]?.success]).toEqual([[], true]);
    expect(sent.steps[6]).toMatchObject({ success: true });
    expect(changing.posted()).toBe(before + 1);
    expect(posted()).toHaveLength(1);
    const never = await run([...contact(), sends], { formPolicy: 'never' });
    const { approvals, steps } = await never.session.ended();
    expect([approvals, steps[4]?.output]).toEqual([[], 'This agent may not send forms.']);
    expect(posted()).toHaveLength(1);
  });
});

describe('the form policy of an agent', () => {
  type Answer = Agent & Problem;
  const create = (by: ApiClient, fields: object) =>
    by.call<Answer>(createAgent, { body: { ...agentInput, ...fields } });
  const change = (by: ApiClient, id: string, body: object) =>
    by.call<Answer>(changeAgent, { params: { id }, body });
  const refused = { status: 403, body: { code: 'form-policy-needs-admin' } };

  it('is loosened by Admins only', async () => {
    const { client: manager } = await joinAs(client, product.url, 'AgentManager');
    expect(await create(manager, { formPolicy: 'allow' })).toMatchObject(refused);
    const { body: agent } = await create(manager, {});
    expect(agent.formPolicy).toBe('ask');
    expect(await change(manager, agent.id, { formPolicy: 'allow' })).toMatchObject(refused);
    expect((await change(manager, agent.id, { formPolicy: 'never' })).status).toBe(200);
    expect(await change(manager, agent.id, { formPolicy: 'ask' })).toMatchObject(refused);
    expect((await change(manager, agent.id, { name: 'Other' })).status).toBe(200);
    expect((await change(client, agent.id, { formPolicy: 'allow' })).body.formPolicy).toBe('allow');
    const wrong = await change(client, agent.id, { formPolicy: 'perhaps' });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([422, 'formPolicy']);
  });

  it('stays when an older version is restored', async () => {
    const { body: agent } = await create(client, { formPolicy: 'allow' });
    await change(client, agent.id, { name: 'Another name' });
    await change(client, agent.id, { formPolicy: 'never' });
    const params = { id: agent.id };
    const restored = await client.call<Agent>(restoreAgent, { params, body: { version: 1 } });
    expect(restored.body).toMatchObject({ name: agent.name, formPolicy: 'never' });
  });
});
