import {
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  getAgentHistory,
  getAssignments,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Deletion,
  listDeletions,
} from '@tallyhand/contracts/features/audit/deletions.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeArticle,
  createArticle,
  deleteArticle,
  getArticle,
  getArticleHistory,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  changePlaybook,
  createPlaybook,
  deletePlaybook,
  getPlaybook,
  getPlaybookHistory,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  changeTool,
  createTool,
  deleteTool,
  getTool,
  getToolHistory,
  restoreTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { membersOfEachRole } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const articleInput = {
  title: 'Returns',
  content: 'Items can be returned within 30 days of delivery.',
  category: 'General',
};

type Body = { readonly id: string; readonly version: number } & Record<string, unknown>;

/** Every kind of object that members write, and one change of it. */
const kinds: Record<
  string,
  {
    readonly endpoints: Record<
      'create' | 'change' | 'remove' | 'restore' | 'get' | 'history',
      Endpoint
    >;
    readonly input: object;
    readonly change: Record<string, string>;
    readonly before: string;
  }
> = {
  agent: {
    endpoints: {
      create: createAgent,
      change: changeAgent,
      remove: deleteAgent,
      restore: restoreAgent,
      get: getAgent,
      history: getAgentHistory,
    },
    input: agentInput,
    change: { name: 'Service desk' },
    before: agentInput.name,
  },
  article: {
    endpoints: {
      create: createArticle,
      change: changeArticle,
      remove: deleteArticle,
      restore: restoreArticle,
      get: getArticle,
      history: getArticleHistory,
    },
    input: articleInput,
    change: { content: 'Items can be returned within 60 days of delivery.' },
    before: articleInput.content,
  },
  playbook: {
    endpoints: {
      create: createPlaybook,
      change: changePlaybook,
      remove: deletePlaybook,
      restore: restorePlaybook,
      get: getPlaybook,
      history: getPlaybookHistory,
    },
    input: playbookInput,
    change: { title: 'Refunds' },
    before: playbookInput.title,
  },
  tool: {
    endpoints: {
      create: createTool,
      change: changeTool,
      remove: deleteTool,
      restore: restoreTool,
      get: getTool,
      history: getToolHistory,
    },
    input: toolInput,
    change: { description: 'Finds what was ordered' },
    before: toolInput.description,
  },
};

let product: TestProduct;
let client: ApiClient;
let user: CurrentUser;
beforeAll(async () => {
  product = await sharedProduct();
  ({ client, user } = await registerOrganization(product.url));
});

/** One and the same moment is written in two ways. */
const withoutTime = ({ createdAt: _, updatedAt: __, ...body }: Body) => body;
const create = async (endpoint: Endpoint, body: object) =>
  (await client.call<Body>(endpoint, { body })).body;
const historyOf = async (endpoint: Endpoint, id: string, query = {}) =>
  (await client.call<HistoryEntry[]>(endpoint, { params: { id }, query })).body;

it('has the changes of one call in the order in which they were made', async () => {
  const { id } = await create(createAgent, agentInput);
  for (const isActive of [false, true, false, true]) {
    const body = { name: `Active is ${isActive}`, isActive };
    await client.call(changeAgent, { params: { id }, body });
  }
  const entries = await historyOf(getAgentHistory, id);
  const order = entries.map(({ sequence }) => sequence ?? 0);
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  expect(entries).toHaveLength(9);
});

describe('deletions', () => {
  const deletions = async (query: Record<string, string> = {}, by = client) =>
    (await by.call<Deletion[]>(listDeletions, { query })).body;

  it('are listed with who and when, of one kind or all, until they are undone', async () => {
    const made: { kind: string; id: string; name: unknown }[] = [];
    for (const [kind, { endpoints, input }] of Object.entries(kinds)) {
      const { body } = await client.call<Body>(endpoints.create, { body: input });
      await client.call(endpoints.remove, { params: { id: body.id } });
      made.unshift({ kind, id: body.id, name: body.title ?? body.name });
    }
    expect((await deletions()).slice(0, 4)).toMatchObject(made);
    for (const one of made) {
      const { kind, id } = one;
      const [newest] = await deletions({ kind });
      expect(newest).toMatchObject({ ...one, actor: { id: user.id, name: user.username } });
      const restore = kinds[kind]?.endpoints.restore as Endpoint;
      await client.call(restore, { params: { id }, body: {} });
      expect((await deletions({ kind })).map((one) => one.id)).not.toContain(id);
    }
  });

  it('come in pages, and never those of others', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { body } = await client.call<Body>(createTool, { body: toolInput });
      await client.call(deleteTool, { params: { id: body.id } });
      ids.unshift(body.id);
    }
    const first = await client.call<Deletion[]>(listDeletions, {
      query: { kind: 'tool', limit: '2' },
    });
    expect(first.body.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const link = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(link).toContain('kind=tool');
    const cursor = new URL(link, product.url).searchParams.get('cursor') ?? '';
    const [third] = await deletions({ kind: 'tool', limit: '2', cursor });
    expect(third?.id).toBe(ids[2]);
    const stranger = await registerOrganization(product.url);
    expect(await deletions({}, stranger.client)).toEqual([]);
  });

  it('of a kind that does not exist are refused by the name of the field', async () => {
    const { status, body } = await client.call<Problem>(listDeletions, {
      query: { kind: 'member' },
    });
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'kind']);
  });
});

describe.each(Object.entries(kinds))('the history of an %s', (_, kind) => {
  const { endpoints, input, change, before } = kind;
  const [field = '', after = ''] = Object.entries(change)[0] ?? [];

  it('shows who changed what, when, field by field', async () => {
    const { id } = await create(endpoints.create, input);
    const changed = await client.call<Body>(endpoints.change, { params: { id }, body: change });
    expect(changed.body).toMatchObject({ id, version: 2, ...change });
    const [newest, first, ...none] = await historyOf(endpoints.history, id);
    expect(none).toEqual([]);
    expect(newest).toMatchObject({
      kind: 'changed',
      version: 2,
      restoredFrom: null,
      actor: { id: user.id, name: user.username },
      changes: [{ field, before, after }],
    });
    expect(first).toMatchObject({ kind: 'created', version: 1 });
    expect(first?.changes).toContainEqual({ field, before: null, after: before });
    // With its sequence as `asOf`, the object is as the change left it.
    const query = { asOf: String(first?.sequence) };
    const then = await client.call<Body>(endpoints.get, { params: { id }, query });
    expect(then.body).toMatchObject({ version: 1, [field]: before });
  });

  it('has no entry when nothing changed', async () => {
    const { id } = await create(endpoints.create, input);
    const same = await client.call<Body>(endpoints.change, { params: { id }, body: input });
    if (endpoints.change !== changeTool) expect(same.body.version).toBe(1);
    expect(await historyOf(endpoints.history, id)).toHaveLength(same.body.version);
  });

  it('brings an older version back, as the newest', async () => {
    const { id } = await create(endpoints.create, input);
    await client.call(endpoints.change, { params: { id }, body: change });
    const body = { version: 1 };
    const restored = await client.call<Body>(endpoints.restore, { params: { id }, body });
    expect(restored.body).toMatchObject({ version: 3, [field]: before });
    const got = await client.call<Body>(endpoints.get, { params: { id } });
    expect(withoutTime(got.body)).toEqual(withoutTime(restored.body));
    const [newest] = await historyOf(endpoints.history, id);
    expect(newest).toMatchObject({
      kind: 'changed',
      version: 3,
      restoredFrom: 1,
      changes: [{ field, before: after, after: before }],
    });
  });

  it('survives a deletion, and undoes it', async () => {
    const { id } = await create(endpoints.create, input);
    expect((await client.call(endpoints.remove, { params: { id } })).status).toBe(204);
    expect((await client.call(endpoints.get, { params: { id } })).status).toBe(404);
    expect((await historyOf(endpoints.history, id))[0]).toMatchObject({ kind: 'deleted' });
    expect((await client.call(endpoints.restore, { params: { id } })).status).toBe(200);
    expect((await historyOf(endpoints.history, id))[0]).toMatchObject({ kind: 'restored' });
    expect((await client.call(endpoints.get, { params: { id } })).status).toBe(200);
    const again = await client.call<Problem>(endpoints.restore, { params: { id } });
    expect([again.status, again.body.code]).toEqual([409, 'not-deleted']);
  });

  it('refuses an unknown version', async () => {
    const { id } = await create(endpoints.create, input);
    const body = { version: 7 };
    const answer = await client.call<Problem>(endpoints.restore, { params: { id }, body });
    expect([answer.status, answer.body.code]).toEqual([404, 'no-such-version']);
  });

  it('pages', async () => {
    const { id } = await create(endpoints.create, input);
    for (const text of ['First change of it', 'Second change of it']) {
      await client.call(endpoints.change, { params: { id }, body: { [field]: text } });
    }
    const options = { params: { id }, query: { limit: '2' } };
    const page = await client.call<HistoryEntry[]>(endpoints.history, options);
    expect(page.body.map(({ version }) => version)).toEqual([3, 2]);
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await client.send<HistoryEntry[]>('GET', next);
    expect(rest.body.map(({ version }) => version)).toEqual([1]);
  });
});

describe('an article of the greatest length', () => {
  it('is changed and brought back whole', async () => {
    const long = 'The longest article. '.repeat(19_047).slice(0, 400_000).trim();
    const { id } = await create(createArticle, { ...articleInput, content: long });
    await client.call(changeArticle, { params: { id }, body: { content: 'Short again now' } });
    await client.call(restoreArticle, { params: { id }, body: { version: 1 } });
    const content = async () =>
      (await client.call<Body>(getArticle, { params: { id } })).body.content === long;
    await expect.poll(content).toBe(true);
    const [newest] = await historyOf(getArticleHistory, id);
    expect(newest?.changes).toEqual([
      { field: 'content', before: 'Short again now', after: long.slice(0, 2_000) },
    ]);
  });
});

describe('a changed article', () => {
  it('is what the next task answers from', async () => {
    const { agent, article } = await agentWithArticle(client);
    const ask = async () => {
      const options = { params: { id: agent.id }, body: { input: 'Within how many days?' } };
      const { body } = await client.call<{ output: string }>(executeTask, options);
      return body.output;
    };
    expect(await ask()).toContain('30 days');
    const content = 'Items can be returned within 45 days of delivery.';
    await client.call(changeArticle, { params: { id: article.id }, body: { content } });
    expect(await ask()).toContain('45 days');
  });
});

describe('the resources of an agent', () => {
  it('are in its history, and so is who paused it', async () => {
    const { id } = await create(createAgent, agentInput);
    const playbook = await create(createPlaybook, playbookInput);
    const members = await membersOfEachRole(client, product.url);
    const body = { playbooks: [playbook.id] };
    expect((await client.call(assignResources, { params: { id }, body })).status).toBe(200);
    await members.get('Viewer')?.call(changeAgent, { params: { id }, body: { isActive: false } });
    // Reads of the Admin do not wait for other members' changes.
    const newest = async () => (await historyOf(getAgentHistory, id))[0];
    const paused = { kind: 'paused', version: null, actor: { name: 'The Viewer' } };
    await expect.poll(newest).toMatchObject(paused);
    const [, assigned] = await historyOf(getAgentHistory, id);
    expect(assigned).toMatchObject({
      kind: 'resources-assigned',
      changes: [{ field: 'playbooks', before: [], after: [playbook.id] }],
    });
  });

  it('has one entry for an agent that is made with its resources, and one for texts with resources', async () => {
    const playbook = await create(createPlaybook, playbookInput);
    const { id } = await create(createAgent, { ...agentInput, playbooks: [playbook.id] });
    const change = { params: { id }, body: { name: 'Helpdesk', playbooks: [] } };
    await client.call(changeAgent, change);
    const entries = await historyOf(getAgentHistory, id);
    expect(entries.map(({ kind }) => kind)).toEqual(['changed', 'created']);
    const playbooks = { field: 'playbooks', before: [playbook.id], after: [] };
    expect(entries[0]?.changes).toEqual([expect.objectContaining({ field: 'name' }), playbooks]);
    expect((await client.call(getAssignments, change)).body).toMatchObject({ playbooks: [] });
  });
});

describe('the credentials of a tool', () => {
  const secret = `secret-${crypto.randomUUID()}`;
  const shown = (answer: unknown) => JSON.stringify(answer).includes(secret);

  async function keptRows(id: string) {
    const pool = openPool(product.config.databaseUrl, 1);
    const { rows } = await pool.query<{ sealed: Buffer }>(
      'select sealed from operational.tool_credentials where tool_id = $1',
      [id],
    );
    await pool.end();
    return rows.map(({ sealed }) => sealed.toString('latin1'));
  }

  it('are kept sealed, never shown, and forgotten when they are replaced', async () => {
    const input = { ...toolInput, authCredentials: { token: secret } };
    const created = await create(createTool, input);
    expect(created.credentialNames).toEqual(['token']);
    const rows = await keptRows(created.id);
    expect([rows.length, shown(rows), shown(created)]).toEqual([1, false, false]);

    const body = { authCredentials: { token: 'another-token' } };
    const changed = await client.call(changeTool, { params: { id: created.id }, body });
    const history = await historyOf(getToolHistory, created.id);
    expect([shown(changed.body), shown(history)]).toEqual([false, false]);
    const after = await keptRows(created.id);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(rows);
    // An older version brings its texts back, and no credential.
    await client.call(restoreTool, { params: { id: created.id }, body: { version: 1 } });
    expect(await keptRows(created.id)).toEqual(after);
  });

  it.each([
    ['apikey', 'authCredentials.apiKey'],
    ['bearer', 'authCredentials.token'],
    ['basic', 'authCredentials.password'],
  ])('must be there for %s', async (authType, path) => {
    const config = { ...toolInput.config, authType };
    const body = { ...toolInput, config, authCredentials: {} };
    const answer = await client.call<Problem>(createTool, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors?.map((error) => error.path)).toContain(path);
  });
});
