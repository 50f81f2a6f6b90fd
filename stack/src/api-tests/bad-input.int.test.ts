import { endpoints } from '@tallyhand/contracts/endpoints';
import { getAssignments, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listApiKeys } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { type ChatReply, chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { listArticles } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  createPlaybook,
  listPlaybooks,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { listSessions } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  getInvitationLink,
  listInvitations,
  listMembers,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool, listTools } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { createWebhook } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { Problem } from '@tallyhand/contracts/kernel/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiAnswer,
  type ApiClient,
  agentInput,
  agentWithArticle,
  playbookInput,
  registerOrganization,
  toolInput,
} from '../testing/api-client.ts';
import { newMailbox, unreachable } from '../testing/mailboxes.ts';
import { invite, newKey } from '../testing/members.ts';
import { pastSession } from '../testing/past-sessions.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';
import { purchasesOf } from '../testing/purchases.ts';

type Made = { readonly id: string };

let product: TestProduct;
let client: ApiClient;
const made = {
  identity: crypto.randomUUID(),
  ...{ agents: '', knowledge: '', tasks: '', team: '', credits: '' },
  ...{
    mailboxes: '',
    playbooks: '',
    tools: '',
    chat: '',
    sessions: '',
    'api-keys': '',
    webhooks: '',
  },
};

beforeAll(async () => {
  product = await startTestProduct();
  const registered = await registerOrganization(product.url);
  ({ client } = registered);
  const { agent, article } = await agentWithArticle(client);
  const invitation = await invite(client, 'Viewer');
  await client.call(renewInvitationLink);
  Object.assign(made, { agents: agent.id, tasks: agent.id, knowledge: article.id });
  made.team = invitation.id;
  made.webhooks = (await client.call<Made>(createWebhook, { body: hook })).body.id;
  made.mailboxes = await newMailbox(client, agent.id);
  made['api-keys'] = (await newKey(client, 'Viewer')).id;
  made.playbooks = (await client.call<Made>(createPlaybook, { body: playbookInput })).body.id;
  const hello = { params: { id: agent.id }, body: { message: 'Hello' } };
  made.chat = (await client.call<ChatReply>(chatWithAgent, hello)).body.conversationId;
  made.tools = (await client.call<Made>(createTool, { body: toolInput })).body.id;
  const { id: userId, organization } = registered.user;
  const own = { organizationId: organization.id, userId, agentId: agent.id };
  made.sessions = (await pastSession(product.config, client, own)).sessionId;
  made.credits = (await purchasesOf(client).buy('needs-authentication')).paymentIntentId;
  Object.assign(right.confirmPurchase ?? {}, { paymentIntentId: made.credits });
});
afterAll(() => product[Symbol.asyncDispose]());

const hook = { url: 'https://example.com/hook', events: ['TaskSucceeded'] };
const seen = [getCurrentUser, getOrganization, listAgents, listArticles, listTasks].concat([
  ...[listMembers, listInvitations, getInvitationLink, listLedgerEntries, getAssignments],
  ...[listPlaybooks, listTools, listSessions, listApiKeys],
] as never[]);

/** All that the organization has, and what it has paid. */
async function state() {
  const params = { id: made.agents };
  const answers = await Promise.all(seen.map((endpoint) => client.call(endpoint, { params })));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  return answers.map(({ body }) => withoutWhen(body));
}

/** To be here is no change: when members and keys were last seen is left out. */
const withoutWhen = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      name === 'lastActive' || name === 'lastUsedAt' ? undefined : value,
    ),
  );

function problemOf(answer: ApiAnswer): Problem {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  const problem = Problem.parse(answer.body);
  expect(problem.status).toBe(answer.status);
  return problem;
}

const existing = ({ feature, path }: Endpoint) => {
  const kind = path.startsWith('/api/agents/') ? 'agents' : feature;
  return { id: made[kind as keyof typeof made] ?? '' };
};
/** What is signed by a program is read by its signature alone. */
const signed: readonly Endpoint[] = [receiveStripeWebhook, receiveTestPaymentsWebhook];
const unsafe = endpoints.filter((each) => each.method !== 'GET' && !signed.includes(each));
const taking = unsafe.filter(({ body }) => body);
const byName = (name: string) => {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`There is no call ${name}`);
  return endpoint;
};

const json = { 'content-type': 'application/json' };
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

type Hostile = { readonly raw: string; readonly headers?: Record<string, string> };

/** Bodies that no call takes, not even one without a body. */
const hostile: Record<string, Hostile & { readonly status: number }> = {
  'text that is no JSON': { raw: '{"a":', status: 400 },
  'a comment in JSON': { raw: '{} // all', status: 400 },
  'ten thousand objects in each other': { raw: objects(10_000), status: 400 },
  'ten thousand lists in each other': {
    raw: `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    status: 400,
  },
  'a prototype': { raw: '{"__proto__":{"role":"Admin"}}', status: 422 },
  'a prototype further in': { raw: '{"personaConfig":{"__proto__":{"a":1}}}', status: 422 },
  'a constructor': { raw: '{"constructor":{"prototype":{"isAdmin":true}}}', status: 422 },
  'a null character': { raw: '{"name":"a\\u0000b"}', status: 422 },
  'a null character in a name': { raw: '{"a\\u0000b":1}', status: 422 },
  'half a surrogate pair': { raw: '{"name":"\\ud800"}', status: 422 },
  'five megabytes': { raw: `{"input":"${'x'.repeat(5 * 1024 * 1024)}"}`, status: 413 },
  'plain text': { raw: '{}', headers: { 'content-type': 'text/plain' }, status: 415 },
  'a form': {
    raw: 'name=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
  },
  'a form of parts': {
    raw: '--x--',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    status: 415,
  },
};

/** The call that takes files misses its file in a form without one. */
const statusOf = (name: string, kind: string, status: number) =>
  name === 'importArticle' && kind === 'a form of parts' ? 422 : status;

describe.each(unsafe.map(({ name }) => name))('%s', (name) => {
  it.each(Object.keys(hostile))('refuses %s, and does nothing', async (kind) => {
    const endpoint = byName(name);
    const { raw, headers = json, ...expected } = hostile[kind] as (typeof hostile)[string];
    const status = statusOf(name, kind, expected.status);
    const before = await state();
    const answer = await client.call(endpoint, { params: existing(endpoint), raw, headers });
    const problem = problemOf(answer);
    expect(problem.status).toBe(status);
    if (status === 422) expect(problem.errors).toHaveLength(1);
    expect(await state()).toEqual(before);
  });
});

describe.each(taking.map(({ name }) => name))('%s', (name) => {
  it.each(['null', '[]', '[{}]', '7', '"text"', 'true', '{"isAdmin":true,"role":7}', ''])(
    'refuses the body %s with the fields that are wrong, and does nothing',
    async (raw) => {
      const endpoint = byName(name);
      // Where every field may be left out, no body is a right one.
      if (raw === '' && endpoint.body?.safeParse({}).success) return;
      const before = await state();
      const answer = await client.call(endpoint, {
        params: existing(endpoint),
        raw,
        headers: json,
      });
      const problem = problemOf(answer);
      expect([problem.status, problem.code]).toEqual([422, 'validation-failed']);
      expect(problem.errors?.length).toBeGreaterThan(0);
      if (raw.includes('isAdmin')) {
        const unknown = { path: 'isAdmin', message: 'There is no such field' };
        expect(problem.errors).toContainEqual(unknown);
      }
      expect(await state()).toEqual(before);
    },
  );
});

type Json = Record<string, unknown>;

/** A right body of each call, from which wrong ones are made by changing one field. */
const right: Record<string, Json> = {
  createAgent: { ...agentInput, isActive: true },
  changeAgent: { ...agentInput, isActive: true },
  assignResources: { articles: [], playbooks: [], tools: [] },
  createArticle: {
    ...{ title: 'Title', content: 'Ten characters', category: 'General' },
    ...{ tags: ['a'], isPublic: false },
  },
  changeArticle: {
    ...{ title: 'Title', content: 'Ten characters', category: 'General' },
    ...{ tags: ['a'], isPublic: false },
  },
  importArticle: { url: 'https://example.com/' },
  createPlaybook: { ...playbookInput, tags: ['a'], estimatedDuration: 30 },
  changePlaybook: { ...playbookInput, tags: ['a'], estimatedDuration: 30 },
  createTool: toolInput,
  changeTool: toolInput,
  restoreAgent: { version: 1 },
  restoreArticle: { version: 1 },
  restorePlaybook: { version: 1 },
  restoreTool: { version: 1 },
  testTool: { input: 'GET /' },
  chatWithAgent: { message: 'Hello', conversationId: crypto.randomUUID() },
  renameConversation: { title: 'Returns' },
  executeTask: { input: 'Hello', type: 'query' },
  startSession: { goal: 'Hello', context: 'For one person', maxSteps: 5 },
  registerUser: {
    ...{ email: 'new@example.com', username: 'Somebody', password: 'long enough' },
    ...{ organizationName: 'Organization', invite: 'token' },
  },
  signIn: { email: 'new@example.com', password: 'long enough', code: '123456' },
  changeProfile: {
    ...{ username: 'Somebody', email: 'new@example.com', currentPassword: 'long enough' },
  },
  undoEmailChange: { token: 'token' },
  requestPasswordReset: { email: 'new@example.com' },
  resetPassword: { token: 'token', newPassword: 'long enough' },
  beginSecondFactor: { password: 'long enough' },
  confirmSecondFactor: { code: '123456' },
  erasePerson: { password: 'long enough' },
  removeSecondFactor: { password: 'long enough', code: '123456' },
  changePassword: { currentPassword: 'long enough', newPassword: 'long enough' },
  checkPassword: { password: 'long enough' },
  purchaseCredits: { credits: 100, amount: 49, testOutcome: 'success' },
  confirmPurchase: { paymentIntentId: crypto.randomUUID(), credits: 100 },
  actOnTestPayment: { action: 'authenticate' },
  setLimit: { kind: 'agent', id: crypto.randomUUID(), monthlyCredits: 5 },
  startAuditExport: { format: 'csv', filter: { kind: 'agent', q: 'returns' }, upTo: 1 },
  changeMember: { role: 'Editor' },
  createWebhook: { ...hook, description: 'Ours' },
  changeWebhook: { ...hook, description: 'Ours', isActive: true },
  createApiKey: { name: 'Nightly', role: 'Viewer', expiresAt: '2999-01-01T00:00:00Z' },
  markNotificationsRead: { ids: [crypto.randomUUID()] },
  changeNotificationPreferences: {
    ...{ emailNotifications: true, agentStatusUpdates: true, creditBalanceAlerts: true },
  },
  connectMailbox: unreachable(),
  testNewMailbox: unreachable(),
  issueInvitation: { email: 'new@example.com', role: 'Viewer', message: 'Welcome' },
  sendContactMessage: {
    ...{ name: 'Ada', email: 'ada@example.com', company: 'Harbour' },
    ...{ message: 'Hello', fax: '' },
  },
  openTicket: {
    ...{ name: 'Ada', email: 'ada@example.com', company: 'Harbour', subject: 'Question' },
    ...{ message: 'Twenty characters or more', priority: 'low', category: 'billing', fax: '' },
  },
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field of a body by its path, those inside others too. */
function fieldsOf(body: Json, prefix: string[] = []): { path: string[]; value: unknown }[] {
  return Object.entries(body).flatMap(([key, value]) => {
    const path = [...prefix, key];
    return [{ path, value }, ...(isObject(value) ? fieldsOf(value, path) : [])];
  });
}

function withField(body: Json, [key = '', ...rest]: readonly string[], value: unknown): Json {
  const inner = rest.length > 0 ? withField(body[key] as Json, rest, value) : value;
  return { ...body, [key]: inner };
}

/** Values that no field of this kind takes. */
function wrongFor(value: unknown): unknown[] {
  const wrong: unknown[] = [-0.5, { a: 1 }];
  if (typeof value === 'number') wrong.push(1e300, [], ['text']);
  else wrong.push(null, 7);
  if (typeof value !== 'boolean') wrong.push(true);
  if (typeof value === 'string') wrong.push([], ['text'], 'x'.repeat(400_001));
  else wrong.push('text', '');
  if (Array.isArray(value)) {
    wrong.push([7], [null], [['text']], [{}], ['x'.repeat(5_000)], Array(1_001).fill('x'));
  }
  return wrong;
}

describe('the right bodies', () => {
  it('are those of all calls that take one', () => {
    expect(Object.keys(right).sort()).toEqual(taking.map(({ name }) => name).sort());
  });
});

describe.each(Object.entries(right))('one wrong field of %s', (name, body) => {
  const endpoint = byName(name);

  it.each(fieldsOf(body).map(({ path, value }) => ({ name: path.join('.'), path, value })))(
    'is named: $name',
    async ({ name: field, path, value }) => {
      const before = await state();
      for (const wrong of wrongFor(value)) {
        const options = { params: existing(endpoint), body: withField(body, path, wrong) };
        const problem = problemOf(await client.call(endpoint, options));
        const names = (problem.errors ?? []).map((error) => error.path);
        const shown = `${field}: ${JSON.stringify(wrong).slice(0, 40)} -> ${names}`;
        expect([problem.status, shown]).toEqual([422, shown]);
        expect(
          names.every((each) => `${each}.`.startsWith(`${field}.`)),
          shown,
        ).toBe(true);
        expect(names.length, shown).toBeGreaterThan(0);
        for (const { message } of problem.errors ?? []) {
          expect(message, shown).not.toMatch(/^(Invalid|Too |Unrecognized)/);
        }
      }
      expect(await state()).toEqual(before);
    },
  );
});

describe('an id', () => {
  const withId = endpoints.filter(({ path }) => path.includes('{id}'));
  const odd = ['no-id', '..%2f..', '%20', "'--"];
  /** No text that could be kept, or longer than any part of an address. */
  const unreadable = ['%00', '%ED%A0%80', 'x'.repeat(3_000)];

  it.each(withId.map(({ name }) => name))('that is none is unknown to %s', async (name) => {
    const endpoint = byName(name);
    const before = await state();
    for (const id of [...odd, ...unreadable, crypto.randomUUID(), made.agents.slice(1)]) {
      const path = pathOf(endpoint, { id: 'ID' }).replace('ID', id);
      const options = endpoint.body ? { body: right[name] } : {};
      const problem = problemOf(await client.send(endpoint.method, path, options));
      const expected = unreadable.includes(id) ? [400, 404, 422] : [404];
      expect(expected, id.slice(0, 20)).toContain(problem.status);
    }
    expect(await state()).toEqual(before);
  });
});

describe('a query', () => {
  const paged = endpoints.filter(({ query }) => query);
  const wrong = ['limit=0', 'limit=-1', 'limit=1.5', 'limit=1e9', 'limit=NaN', 'limit=', 'limit=a'];
  const more = ['limit=1&limit=2', 'cursor=', 'cursor=%00', `cursor=${'x'.repeat(300)}`, 'limt=5'];

  it.each(paged.map(({ name }) => name))('that is wrong is refused by %s', async (name) => {
    for (const query of [...wrong, ...more]) {
      const path = pathOf(byName(name), existing(byName(name)));
      const answer = await client.send('GET', `${path}?${query}`);
      const problem = problemOf(answer);
      expect([query, problem.status]).toEqual([query, 422]);
      expect(query.startsWith(problem.errors?.[0]?.path ?? '?')).toBe(true);
    }
  });
});
