import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  getTaskStats,
  listTasks,
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import { apiClient, testPassword } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { demoEmail, fillDemo } from './fill.ts';

let product: OwnProduct;

beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product[Symbol.asyncDispose]());

describe('the demo', () => {
  it('is an organization with members and tasks that were paid for, made once', async () => {
    await fillDemo(product.url, testPassword);

    const client = apiClient(product.url);
    const body = { email: demoEmail, password: testPassword };
    expect((await client.call(signIn, { body })).status).toBe(200);
    expect((await client.call(listMembers)).body).toHaveLength(3);
    expect((await client.call(getTaskStats)).body).toMatchObject({
      success: 8,
      failed: 1,
      creditsUsed: 8,
    });
    expect((await client.call(getOrganization)).body).toMatchObject({ creditBalance: 92 });

    const { body: tasks } = await client.call<Task[]>(listTasks);
    const unanswered = tasks.filter(({ output }) => output?.startsWith('I’m not sure'));
    expect(unanswered.map(({ input }) => input)).toEqual(['Do you sell gift baskets?']);

    await expect(fillDemo(product.url, testPassword)).rejects.toMatchObject({
      code: 'email-taken',
    });
  });
});
