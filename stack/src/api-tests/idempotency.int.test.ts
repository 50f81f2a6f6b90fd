import {
  type Agent,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { listLedgerEntries } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  createArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  type ExecutionResult,
  executeTask,
  listTasks,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  issueInvitation,
  listInvitations,
} from '@tallyhand/contracts/features/team/team.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { reportFault } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const AT_ONCE = 20;
const REPEATS = 100;

let product: TestProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

const keyed = (key: string) => ({ 'idempotency-key': key });
const newKey = () => crypto.randomUUID();
const article = { title: 'Returns', content: 'Within 30 days of delivery.', category: 'General' };

async function lengthOf(client: ApiClient, list: Endpoint): Promise<number> {
  return (await client.call<unknown[]>(list)).body.length;
}

/** Calls that create something, and the list that shows it. */
const making: [name: string, endpoint: Endpoint, body: object, list: Endpoint][] = [
  ['an agent', createAgent, agentInput, listAgents],
  ['an article', createArticle, article, listArticles],
  ['an invitation', issueInvitation, { email: 'someone@example.com' }, listInvitations],
];

describe.each(making)('one key for %s', (_, endpoint, body, list) => {
  it(`has one effect and one answer, ${AT_ONCE} times at once and again later`, async () => {
    const { client } = await registerOrganization(product.url);
    const headers = keyed(newKey());
    const call = () => client.call(endpoint, { body, headers });

    const answers = await Promise.all(Array.from({ length: AT_ONCE }, call));
    answers.push(await call());

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((each) => JSON.stringify(each.body))).size).toBe(1);
    expect(await lengthOf(client, list)).toBe(1);
  });

  it('is refused with another body, and nothing more is made', async () => {
    const { client } = await registerOrganization(product.url);
    const headers = keyed(newKey());
    expect((await client.call(endpoint, { body, headers })).status).toBe(201);
    const changed = { ...body, ...('email' in body ? { role: 'Admin' } : { category: 'Sales' }) };
    const other = endpoint === createAgent ? { ...agentInput, name: 'Another' } : changed;

    const answer = await client.call<Problem>(endpoint, { body: other, headers });

    expect([answer.status, answer.body.code]).toEqual([409, 'idempotency-key-reused']);
    expect(await lengthOf(client, list)).toBe(1);
  });

  it('has another meaning in another organization', async () => {
    const one = await registerOrganization(product.url);
    const other = await registerOrganization(product.url);
    const headers = keyed(newKey());
    const first = await one.client.call<{ id: string }>(endpoint, { body, headers });
    const second = await other.client.call<{ id: string }>(endpoint, { body, headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
    expect(await lengthOf(one.client, list)).toBe(1);
    expect(await lengthOf(other.client, list)).toBe(1);
  });
});

describe('one key for a task', () => {
  it(`runs and charges it once, ${AT_ONCE} times at once and again later`, async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const headers = keyed(newKey());
    const call = () =>
      client.call<ExecutionResult>(executeTask, {
        params: { id: agent.id },
        body: { input: 'Within how many days?' },
        headers,
      });

    const answers = await Promise.all(Array.from({ length: AT_ONCE }, call));
    answers.push(await call());

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await lengthOf(client, listTasks)).toBe(1);
    const { body } = await client.call<Organization>(getOrganization);
    expect(body).toMatchObject({ creditBalance: 99, reserved: 0 });
    const ledger = await client.call<{ kind: string }[]>(listLedgerEntries);
    expect(ledger.body.map(({ kind }) => kind)).toEqual(['charged', 'reserved', 'granted']);
  });

  it(`runs and charges it once, ${REPEATS} times with a restart in between`, async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const headers = keyed(newKey());
    const body = { input: 'Within how many days?' };
    const call = () =>
      client
        .call<ExecutionResult>(executeTask, { params: { id: agent.id }, body, headers })
        .catch(() => null);

    const before = Array.from({ length: REPEATS / 2 }, call);
    // Some are answered before the end, the others break off.
    await Promise.race(before);
    await product.restart();
    const after = await Promise.all(Array.from({ length: REPEATS / 2 }, call));

    const answers = [...(await Promise.all(before)), ...after].filter((each) => each !== null);
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeGreaterThanOrEqual(REPEATS / 2);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(new Set(given.map((each) => each.body.taskId)).size).toBe(1);
    expect(given.every((each) => each.body.success)).toBe(true);
    expect(await lengthOf(client, listTasks)).toBe(1);
    const ledger = await client.call<{ kind: string }[]>(listLedgerEntries);
    expect(ledger.body.map(({ kind }) => kind)).toEqual(['charged', 'reserved', 'granted']);
    reportFault({ runs: REPEATS });
  });

  it('is refused for another agent, and costs nothing more', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const other = await agentWithArticle(client);
    const headers = keyed(newKey());
    const body = { input: 'Within how many days?' };
    await client.call(executeTask, { params: { id: agent.id }, body, headers });
    const options = { params: { id: other.agent.id }, body, headers };
    const answer = await client.call<Problem>(executeTask, options);
    expect([answer.status, answer.body.code]).toEqual([409, 'idempotency-key-reused']);
    expect(await lengthOf(client, listTasks)).toBe(1);
  });

  it('has the same answer when the task is not waited for', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const headers = { ...keyed(newKey()), prefer: 'respond-async' };
    const call = () =>
      client.call<{ taskId: string }>(executeTask, {
        params: { id: agent.id },
        body: { input: 'Within how many days?' },
        headers,
      });
    const first = await call();
    expect(first.status).toBe(202);
    expect(first.headers.get('location')).toBe(`/api/tasks/${first.body.taskId}`);
    expect(first.headers.get('retry-after')).toBe('1');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const second = await call();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('location')).toBe(`/api/tasks/${first.body.taskId}`);
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(await lengthOf(client, listTasks)).toBe(1);
  });
});

describe('a key', () => {
  it('that was used for one call is refused for another', async () => {
    const { client } = await registerOrganization(product.url);
    const headers = keyed(newKey());
    const made = await client.call<Agent>(createAgent, { body: agentInput, headers });
    const params = { id: made.body.id };
    const changed = await client.call(changeAgent, { params, body: { name: 'Other' }, headers });
    const deleted = await client.call(deleteAgent, { params, headers });
    expect([changed.status, deleted.status]).toEqual([409, 409]);
    const left = await client.call<Agent>(getAgent, { params });
    expect([left.status, left.body.name, left.body.version]).toEqual([200, made.body.name, 1]);
  });

  it('can be retried after a refusal, once the obstacle is gone', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const params = { id: agent.id };
    const headers = keyed(newKey());
    const run = () => client.call(executeTask, { params, body: { input: 'How many?' }, headers });
    await client.call(changeAgent, { params, body: { isActive: false } });
    expect((await run()).status).toBe(409);
    await client.call(changeAgent, { params, body: { isActive: true } });
    expect((await run()).status).toBe(200);
  });

  it.each(['', 'x'.repeat(201)])('that is no key is refused by name: "%.4s"', async (key) => {
    const { client } = await registerOrganization(product.url);
    const answer = await client.call<Problem>(createAgent, {
      body: agentInput,
      headers: keyed(key),
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors?.[0]?.path).toBe('Idempotency-Key');
    expect(await lengthOf(client, listAgents)).toBe(0);
  });
});
