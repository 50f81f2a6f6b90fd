import {
  type Agent,
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
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
  type Task,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type Invitation,
  issueInvitation,
  listInvitations,
} from '@tallyhand/contracts/features/team/team.endpoints';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { caseRuns } from '@tallyhand/test-kit/cases';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const TIMES = caseRuns(4, 30).numRuns;

let product: TestProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

/** Each writes once and reports whether the very next read shows it. */
const kinds: Record<string, (client: ApiClient, agentId: string, n: number) => Promise<boolean>> = {
  async 'a new agent'(client) {
    const made = await client.call<Agent>(createAgent, { body: agentInput });
    const { body } = await client.call<Agent[]>(listAgents);
    return ids(body).includes(made.body.id);
  },
  async 'a changed agent'(client, id, n) {
    await client.call(changeAgent, { params: { id }, body: { name: `Name ${n}` } });
    return (await client.call<Agent>(getAgent, { params: { id } })).body.name === `Name ${n}`;
  },
  async 'a deleted agent'(client) {
    const { body } = await client.call<Agent>(createAgent, { body: agentInput });
    await client.call(deleteAgent, { params: { id: body.id } });
    return (await client.call(getAgent, { params: { id: body.id } })).status === 404;
  },
  async 'a new article'(client, _, n) {
    const made = await client.call<Article>(createArticle, {
      body: { title: `Article ${n}`, content: 'Ten characters and more', category: 'General' },
    });
    return ids((await client.call<Article[]>(listArticles)).body).includes(made.body.id);
  },
  async 'an assignment'(client, id, n) {
    const articles = ids((await client.call<Article[]>(listArticles)).body).slice(0, n % 2);
    await client.call(assignResources, { params: { id }, body: { articles } });
    const { body } = await client.call<{ articles: string[] }>(getAssignments, { params: { id } });
    return body.articles.length === articles.length;
  },
  async 'an invitation'(client, _, n) {
    const made = await client.call<Invitation>(issueInvitation, {
      body: { email: `${n}-${crypto.randomUUID()}@example.com` },
    });
    return ids((await client.call<Invitation[]>(listInvitations)).body).includes(made.body.id);
  },
  async 'a task and its credit'(client, id) {
    const before = await client.call<Organization>(getOrganization);
    const done = await client.call<ExecutionResult>(executeTask, {
      params: { id },
      body: { input: 'How many days?' },
    });
    const after = await client.call<Organization>(getOrganization);
    const tasks = await client.call<Task[]>(listTasks);
    const task = tasks.body.find((each) => each.id === done.body.taskId);
    const spent = before.body.creditBalance - after.body.creditBalance;
    return task?.status === 'success' && task.creditCost === 1 && spent === 1;
  },
};

describe.each(['all cookies', 'sign-in only'] as const)('a caller who keeps %s', (keeps) => {
  it.each(Object.keys(kinds))(`sees %s at once, ${TIMES} times in a row`, async (kind) => {
    const { client } = await registerOrganization(product.url, keeps);
    const { agent } = await agentWithArticle(client);
    for (let n = 1; n <= TIMES; n += 1) {
      expect(await kinds[kind]?.(client, agent.id, n)).toBe(true);
    }
  });
});
