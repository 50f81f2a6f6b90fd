import {
  assignResources,
  changeAgent,
  deleteAgent,
  getAgent,
  getAssignments,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type CurrentUser,
  registerUser,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  deleteArticle,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  listTasks,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  getInvitationByToken,
  getInvitationLink,
  type InvitationLink,
  issueInvitation,
  listInvitations,
  listMembers,
  renewInvitationLink,
  revokeInvitation,
  revokeInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { invite } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const AT_ONCE = 10;

let product: TestProduct;
let client: ApiClient;
let user: CurrentUser;

beforeAll(async () => {
  product = await sharedProduct();
  ({ client, user } = await registerOrganization(product.url));
});

const body = { input: 'Within how many days?' };
const answered = ({ status, body: { code } }: { status: number; body: Problem }) => [status, code];

describe('an agent', () => {
  it('that is paused runs nothing, and nothing is made or paid', async () => {
    const { client: own } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(own);
    const params = { id: agent.id };
    await own.call(changeAgent, { params, body: { isActive: false } });
    expect(answered(await own.call<Problem>(executeTask, { params, body }))).toEqual([
      409,
      'agent-paused',
    ]);
    expect((await own.call(listTasks)).body).toEqual([]);
    const { body: organization } = await own.call<Organization>(getOrganization);
    expect(organization).toMatchObject({ creditBalance: 100, reserved: 0 });
  });

  it('that is deleted is unknown to every call until it is restored, its tasks are not', async () => {
    const { agent, article } = await agentWithArticle(client);
    const params = { id: agent.id };
    const done = await client.call<ExecutionResult>(executeTask, { params, body });
    expect((await client.call(deleteAgent, { params })).status).toBe(204);

    for (const [endpoint, sent] of [
      [getAgent, undefined],
      [getAssignments, undefined],
      [changeAgent, { isActive: true }],
      [deleteAgent, undefined],
      [assignResources, { articles: [article.id] }],
      [executeTask, body],
    ] as const) {
      const answer = await client.call<Problem>(endpoint, { params, body: sent });
      expect(answered(answer)).toEqual([404, 'not-found']);
    }
    const task = await client.call(getTask, { params: { id: done.body.taskId } });
    expect(task.body).toMatchObject({ status: 'success', agentId: agent.id });

    expect((await client.call(restoreAgent, { params })).status).toBe(200);
    const again = await client.call<Problem>(restoreAgent, { params });
    expect(answered(again)).toEqual([409, 'not-deleted']);
    const assigned = await client.call<{ articles: string[] }>(getAssignments, { params });
    expect(assigned.body.articles).toEqual([article.id]);
  });

  it('is deleted once by concurrent calls', async () => {
    const { agent } = await agentWithArticle(client);
    const options = { params: { id: agent.id } };
    const calls = Array.from({ length: AT_ONCE }, () => client.call(deleteAgent, options));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(AT_ONCE - 1);
  });
});

describe('an article', () => {
  it('that is deleted cannot be assigned, and answers no longer use it', async () => {
    const { agent, article } = await agentWithArticle(client);
    const params = { id: agent.id };
    await client.call(deleteArticle, { params: { id: article.id } });
    const sent = { body: { articles: [article.id] } };
    const assigned = await client.call<Problem>(assignResources, { params, ...sent });
    expect([assigned.status, assigned.body.errors?.[0]?.path]).toEqual([422, 'articles.0']);
    const done = await client.call<ExecutionResult>(executeTask, { params, body });
    expect(done.body.sources).toEqual([]);

    expect((await client.call(restoreArticle, { params: { id: article.id } })).status).toBe(200);
    const again = await client.call<Problem>(restoreArticle, { params: { id: article.id } });
    expect(answered(again)).toEqual([409, 'not-deleted']);
    const better = await client.call<ExecutionResult>(executeTask, { params, body });
    expect(better.body.sources[0]?.articleId).toBe(article.id);
  });
});

describe('an invitation', () => {
  const join = (token: string, email = `${crypto.randomUUID()}@example.com`) =>
    apiClient(product.url).call<Problem & { user: CurrentUser }>(registerUser, {
      body: { email, username: 'Guest', password: testPassword, invite: token },
    });
  async function leadsTo(token: string) {
    // A visitor's read waits for no change: the views have caught up after one of the Admin's.
    await client.call(listInvitations);
    return apiClient(product.url).call(getInvitationByToken, { params: { token } });
  }

  it('is used once, by its address alone, and joins without new credits', async () => {
    const { email, token, id } = await invite(client, 'Editor');
    expect((await leadsTo(token)).body).toEqual({
      organizationName: user.organization.name,
      role: 'Editor',
      lastDay: null,
      email,
    });
    expect(answered(await join(token))).toEqual([409, 'invitation-for-another-address']);
    const before = (await client.call<Organization>(getOrganization)).body;
    const calls = Array.from({ length: AT_ONCE }, () => join(token, email.toUpperCase()));
    const joined = (await Promise.all(calls)).filter(({ status }) => status === 201);
    expect(joined.length).toBeGreaterThan(0);
    expect(new Set(joined.map((each) => each.body.user.id)).size).toBe(1);
    expect(joined[0]?.body.user).toMatchObject({
      role: 'Editor',
      organization: { id: user.organization.id },
    });
    expect((await client.call<Organization>(getOrganization)).body).toEqual(before);
    const same = async () => {
      const { body: members } = await client.call<{ email: string }[]>(listMembers);
      return members.filter((member) => member.email.toLowerCase() === email).length;
    };
    await expect.poll(same).toBe(1);
    const revoked = await client.call<Problem>(revokeInvitation, { params: { id } });
    expect(answered(revoked)).toEqual([409, 'invitation-already-accepted']);
    await expect.poll(async () => (await leadsTo(token)).status).toBe(409);
    const another = await client.call<Problem>(issueInvitation, { body: { email } });
    expect(answered(another)).toEqual([409, 'email-has-account']);
  });

  it('is refused once it is revoked, forged or truncated', async () => {
    const { token, id, email } = await invite(client, 'Admin');
    await client.call(revokeInvitation, { params: { id } });
    for (const wrong of [token, token.slice(0, -2), `${token}x`, 'x', user.organization.id]) {
      expect(answered(await join(wrong, email))).toEqual([409, 'invitation-not-valid']);
      expect((await leadsTo(wrong)).status).toBe(wrong === token ? 409 : 404);
    }
    // The address is free.
    const own = { email, username: 'Own', password: testPassword, organizationName: 'Own' };
    expect((await apiClient(product.url).call(registerUser, { body: own })).status).toBe(201);
  });

  it('by link lets many in as Viewers, counts them, and ends with the next link', async () => {
    const first = await client.call<InvitationLink>(renewInvitationLink);
    const many = await Promise.all([1, 2, 3].map(() => join(first.body.token)));
    expect(many.map(({ status, body: { user: each } }) => [status, each.role])).toEqual(
      Array(3).fill([201, 'Viewer']),
    );
    const uses = async () => (await client.call<InvitationLink>(getInvitationLink)).body.uses;
    await expect.poll(uses).toBe(3);
    const second = await client.call<InvitationLink>(renewInvitationLink);
    expect(answered(await join(first.body.token))).toEqual([409, 'invitation-not-valid']);
    expect((await join(second.body.token)).status).toBe(201);
    await client.call(revokeInvitationLink);
    expect(answered(await join(second.body.token))).toEqual([409, 'invitation-not-valid']);
    expect((await client.call(getInvitationLink)).body).toBeNull();
  });

  it('leaves one link when links are made at once, the very first ones too', async () => {
    const { client: own } = await registerOrganization(product.url);
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: AT_ONCE }, () =>
        own.call<InvitationLink>(renewInvitationLink),
      );
      const answers = await Promise.all(calls);
      const made = answers.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThan(0);
      // A caller that was overtaken before the link was created has created none.
      const others = answers.filter((each) => !made.includes(each));
      expect(others.map(({ status }) => status)).toEqual(others.map(() => 409));
      const tokens = made.map(({ body }) => body.token);
      const { body: link } = await own.call<InvitationLink>(getInvitationLink);
      const joined = await Promise.all(tokens.map((token) => join(token)));
      const open = tokens.filter((_, n) => joined[n]?.status === 201);
      expect(open).toEqual([link.token]);
    }
  });
});
