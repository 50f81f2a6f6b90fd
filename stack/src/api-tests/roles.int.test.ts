import { endpoints } from '@tallyhand/contracts/endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { ROLES, type Role } from '@tallyhand/contracts/features/identity/role';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '../testing/api-client.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
const clients = new Map<Role, ApiClient>();
let agentId = '';
let articleId = '';

/** Another organization's: nobody of the first may learn that they exist. */
const foreign = { agent: '', article: '', task: '', invitation: '' };

beforeAll(async () => {
  product = await startTestProduct();
  const { client: admin } = await registerOrganization(product.url);
  clients.set('Admin', admin);
  for (const role of ROLES.filter((each) => each !== 'Admin')) {
    clients.set(role, await joinAs(admin, role));
  }
  const made = await agentWithArticle(admin);
  agentId = made.agent.id;
  articleId = made.article.id;
  const { client: other } = await registerOrganization(product.url);
  const theirs = await agentWithArticle(other);
  foreign.agent = theirs.agent.id;
  foreign.article = theirs.article.id;
  const task = await other.send<{ taskId: string }>(
    'POST',
    `/api/agents/${foreign.agent}/execute`,
    {
      body: { input: 'Hello' },
    },
  );
  foreign.task = task.body.taskId;
  const invited = await invite(other, 'Viewer');
  foreign.invitation = invited.id;
});
afterAll(() => product[Symbol.asyncDispose]());

async function invite(admin: ApiClient, role: Role) {
  const email = `${crypto.randomUUID()}@example.com`;
  const { body } = await admin.call<{ id: string; token: string }>(issueInvitation, {
    body: { email, role },
  });
  return { email, ...body };
}

async function joinAs(admin: ApiClient, role: Role): Promise<ApiClient> {
  const { email, token } = await invite(admin, role);
  const client = apiClient(product.url);
  const body = { email, username: `The ${role}`, password: testPassword, invite: token };
  const { body: answer } = await client.call<{ user: { role: Role } }>(registerUser, { body });
  expect(answer.user.role).toBe(role);
  return client;
}

const keepers: readonly Role[] = ['Admin', 'Editor', 'AgentManager'];
const writers: readonly Role[] = ['Admin', 'Editor'];
const admins: readonly Role[] = ['Admin'];

/** Who may call what, written by hand; the calls are harmless or wrong on purpose. */
const calls: [name: string, who: readonly Role[], body?: unknown][] = [
  ['getCurrentUser', ROLES],
  ['getOrganization', ROLES],
  ['listMembers', ROLES],
  ['listAgents', ROLES],
  ['getAgent', ROLES],
  ['getAssignments', ROLES],
  ['listArticles', ROLES],
  ['getArticle', ROLES],
  ['listTasks', ROLES],
  ['getTaskStats', ROLES],
  ['executeTask', ROLES, { input: 'Hello' }],
  ['changeAgent', ROLES, { isActive: true }],
  ['changeAgent', keepers, { name: 'Another name' }],
  ['createAgent', keepers, agentInput],
  ['assignResources', keepers, { articles: [] }],
  ['createArticle', writers, { title: 'Title', content: 'Ten characters', category: 'General' }],
  ['listLedgerEntries', admins],
  ['listInvitations', admins],
  ['getInvitationLink', admins],
  ['issueInvitation', admins, { email: 'somebody@example.com' }],
  ['renewInvitationLink', admins],
  ['revokeInvitationLink', admins],
];

const endpointOf = (name: string) => {
  const endpoint = endpoints.find((each) => each.name === name);
  if (!endpoint) throw new Error(`There is no endpoint ${name}`);
  return endpoint;
};

describe.each(calls)('%s', (name, who, body) => {
  const call = (client: ApiClient) => {
    const endpoint = endpointOf(name);
    const id = endpoint.feature === 'knowledge' ? articleId : agentId;
    return client.call(endpoint, { params: { id }, body });
  };

  it.each(ROLES)('answers the role %s as it may', async (role) => {
    const client = clients.get(role);
    if (!client) throw new Error(`Nobody has the role ${role}`);
    const { status } = await call(client);
    if (who.includes(role)) expect([200, 201, 204]).toContain(status);
    else expect(status).toBe(403);
  });

  it('is closed to whoever is not signed in', async () => {
    expect((await call(apiClient(product.url))).status).toBe(401);
  });
});

describe('what belongs to another organization', () => {
  const withId = endpoints.filter(({ path }) => path.includes('{id}'));

  it.each(withId.map(({ name }) => name))('is unknown to %s', async (name) => {
    const endpoint = endpointOf(name);
    const kind = { knowledge: 'article', tasks: 'task', team: 'invitation', agents: 'agent' }[
      endpoint.feature
    ] as keyof typeof foreign;
    const id = name === 'executeTask' ? foreign.agent : foreign[kind];
    const body = { executeTask: { input: 'Hello' }, changeAgent: { isActive: false } }[name];
    const answer = await clients.get('Admin')?.call<{ code: string }>(endpoint, {
      params: { id },
      body: body ?? (endpoint.body ? {} : undefined),
    });
    expect([answer?.status, answer?.body.code]).toEqual([404, 'not-found']);
  });
});
