import { randomUUID } from 'node:crypto';
import { deleteAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  listLimits,
  type SpendLimit,
  setLimit,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let user: CurrentUser;
let agentId = '';

beforeAll(async () => {
  product = await sharedProduct();
});

const fresh = async () => {
  ({ client, user } = await registerOrganization(product.url));
  agentId = (await agentWithArticle(client)).agent.id;
};
const limit = (kind: string, id: string, monthlyCredits: unknown, by = client) =>
  by.call<Problem>(setLimit, { body: { kind, id, monthlyCredits } });
const execute = (by = client) =>
  by.call<Problem>(executeTask, {
    params: { id: agentId },
    body: { input: 'Within how many days?', type: 'query' },
  });
const limits = async () => (await client.call<SpendLimit[]>(listLimits)).body;
const balance = async () => (await client.call<Organization>(getOrganization)).body.creditBalance;

describe('a monthly limit', () => {
  it('stops an agent when it is reached, and no other agent', async () => {
    await fresh();
    const other = (await agentWithArticle(client)).agent.id;
    expect((await limit('agent', agentId, 2)).status).toBe(200);
    expect([await execute(), await execute()].map(({ status }) => status)).toEqual([200, 200]);
    const refused = await execute();
    expect(refused.body).toMatchObject({
      status: 402,
      code: 'spend-limit-reached',
      params: { scope: 'agent', limit: 2, spent: 2, requested: 1 },
    });
    expect(await balance()).toBe(98);
    expect(await limits()).toEqual([
      {
        scope: { kind: 'agent', id: agentId },
        name: 'Support',
        monthlyCredits: 2,
        usedThisMonth: 2,
      },
    ]);
    agentId = other;
    expect((await execute()).status).toBe(200);
  });

  it('stops a member when it is reached, and no other member', async () => {
    await fresh();
    expect((await limit('member', user.id, 1)).status).toBe(200);
    expect((await execute()).status).toBe(200);
    expect((await execute()).body).toMatchObject({
      code: 'spend-limit-reached',
      params: { scope: 'member', limit: 1 },
    });
    const members = await membersOfEachRole(client, product.url);
    expect((await execute(members.get('Viewer'))).status).toBe(200);
    expect(await limits()).toMatchObject([{ name: user.username, usedThisMonth: 1 }]);
  });

  it('is never passed by calls that come together', async () => {
    await fresh();
    await limit('agent', agentId, 5);
    const answers = await Promise.all(Array.from({ length: 30 }, () => execute()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(25);
    expect(await balance()).toBe(95);
  });

  it('is changed and removed', async () => {
    await fresh();
    await limit('agent', agentId, 0);
    expect((await execute()).status).toBe(402);
    await limit('agent', agentId, 1);
    expect((await execute()).status).toBe(200);
    expect((await execute()).status).toBe(402);
    await limit('agent', agentId, null);
    expect((await execute()).status).toBe(200);
    expect(await limits()).toEqual([]);
  });

  it('can be removed from a deleted agent, and set for none', async () => {
    await fresh();
    await limit('agent', agentId, 3);
    expect((await client.call(deleteAgent, { params: { id: agentId } })).status).toBe(204);
    expect((await limit('agent', agentId, 4)).status).toBe(404);
    expect((await limit('agent', agentId, null)).status).toBe(200);
    expect(await limits()).toEqual([]);
  });

  it('is for agents and members of the own organization only', async () => {
    await fresh();
    const [ownAgent, ownUser] = [agentId, user.id];
    await fresh();
    for (const [kind, id] of [
      ['agent', ownAgent],
      ['member', ownUser],
      ['agent', randomUUID()],
      ['member', randomUUID()],
    ] as const) {
      expect((await limit(kind, id, 5)).status).toBe(404);
    }
    expect(await limits()).toEqual([]);
  });

  it.each([
    ['monthlyCredits', -1],
    ['monthlyCredits', 1.5],
    ['monthlyCredits', 1e12],
    ['monthlyCredits', '5'],
    ['monthlyCredits', undefined],
  ])('names the field %s when it is %s', async (path, value) => {
    await fresh();
    const { status, body } = await limit('agent', agentId, value);
    expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
  });

  it('is for Admins only', async () => {
    await fresh();
    for (const [role, member] of await membersOfEachRole(client, product.url)) {
      const status = role === 'Admin' ? 200 : 403;
      expect((await limit('agent', agentId, 9, member)).status).toBe(status);
      expect((await member.call(listLimits)).status).toBe(status);
    }
  });
});
