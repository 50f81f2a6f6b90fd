import { eventsByCategory } from '@tallyhand/contracts/events';
import {
  type Agent,
  changeAgent,
  createAgent,
  deleteAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type LoggedEvent,
  listRecordedEvents,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  audited,
  nextOf,
  pagesFrom,
  type Recorded,
  replayed,
  sequences,
} from '../testing/audit-pages.ts';
import { membersOfEachRole } from '../testing/members.ts';
import { pastSession } from '../testing/past-sessions.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const input = 'Within how many days can a book be returned?';

/** Every event that is declared, by its type. */
const declared = new Map(
  Object.values(eventsByCategory)
    .flatMap((kinds) => Object.values<{ type: string; schema: z.ZodObject }>(kinds))
    .map((kind) => [kind.type, kind]),
);

let product: TestProduct;
let client: ApiClient;

beforeAll(async () => {
  product = await sharedProduct();
  const { client: own, user } = await registerOrganization(product.url);
  client = own;
  const { agent } = await agentWithArticle(client);
  const params = { id: agent.id };
  await client.call(changeAgent, { params, body: { name: 'Service desk' } });
  await client.call(changeAgent, { params, body: { isActive: false } });
  await client.call(changeAgent, { params, body: { isActive: true } });
  await client.call(executeTask, { params, body: { input } });
  await client.call(chatWithAgent, { params, body: { message: 'A chat' } });
  await client.call(createTool, { body: toolInput });
  const whose = { organizationId: user.organization.id, userId: user.id, agentId: agent.id };
  await pastSession(product.config, client, whose);
});

describe('the replayed history', () => {
  it('has every event in its order, as its schema declares it', async () => {
    const events = await replayed(client);
    expect(sequences(events)).toEqual(sequences(await audited(client)).toReversed());
    for (const { type, data } of events) {
      const kind = declared.get(type);
      expect(kind, type).toBeDefined();
      expect(kind?.schema.parse(data)).toEqual(data);
    }
  });

  it('folds to the agents that there are', async () => {
    const gone = await client.call<Agent>(createAgent, { body: agentInput });
    await client.call(deleteAgent, { params: { id: gone.body.id } });
    const agents = new Map<string, Record<string, unknown>>();
    for (const { type, at, data } of await replayed(client, '&kind=agent')) {
      const { agentId, organizationId: _, persona, restoredFrom: __, ...others } = data;
      const { articles: _a, playbooks: _p, tools: _t, ...rest } = others;
      const id = String(agentId);
      const known = { ...(agents.get(id) ?? { createdAt: at }), updatedAt: at };
      const change = { ...rest, ...(persona ? { personaConfig: persona } : {}) };
      if (type === 'AgentCreated' || type === 'AgentChanged') {
        agents.set(id, { ...known, ...change, id });
      }
      if (type === 'AgentPaused') agents.set(id, { ...known, isActive: false });
      if (type === 'AgentActivated') agents.set(id, { ...known, isActive: true });
      if (type === 'AgentDeleted') agents.delete(id);
    }
    const { body } = await client.call<Agent[]>(listAgents);
    expect([...agents.values()].reverse()).toEqual(body);
  });

  it('continues from the end to future events', async () => {
    const head = (await audited(client))[0]?.sequence ?? 0;
    const path = listRecordedEvents.path;
    const end = await client.send<Recorded[]>('GET', `${path}?after=${head}`);
    expect([end.status, end.body]).toEqual([200, []]);
    await client.call(createAgent, { body: agentInput });
    const next = await client.send<Recorded[]>('GET', nextOf(end.headers) ?? '');
    expect(next.body.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['AgentCreated', head + 1],
    ]);
    const none = await client.send<Recorded[]>('GET', `${path}?kind=email&after=${head}`);
    expect(none.body).toEqual([]);
    expect(nextOf(none.headers)).toContain(`after=${head + 1}`);
  });

  it.each(['after=1000000', 'after=-1', 'after=x', 'after=1.5', 'after='])(
    'refuses a position that does not exist: %s',
    async (query) => {
      const answer = await client.send<Problem>('GET', `${listRecordedEvents.path}?${query}`);
      const paths = answer.body.errors?.map(({ path }) => path);
      expect([answer.status, paths]).toEqual([422, ['after']]);
    },
  );

  it('returns long texts in full, and only as many per page as fit', async () => {
    const other = await registerOrganization(product.url);
    const content = 'The longest article. '.repeat(19_047).slice(0, 400_000).trim();
    const body = { title: 'Long', content, category: 'General' };
    for (let i = 0; i < 12; i += 1) await other.client.call(createArticle, { body });
    // The passages of so long texts take their time.
    const status = async () => (await other.client.call(listRecordedEvents)).status;
    await expect.poll(status).toBe(200);
    const path = `${listRecordedEvents.path}?kind=ArticleCreated&limit=1000`;
    const pages = await pagesFrom<Recorded>(other.client, path);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat().map(({ data }) => data.content)).toEqual(
      Array.from({ length: 12 }, () => ({ kind: 'inline', text: content })),
    );
  });
});

describe('an erased person', () => {
  it('is shown as erased, and their entries do not change', async () => {
    const other = await registerOrganization(product.url);
    const before = await replayed(other.client);
    const pool = openPool(product.config.databaseUrl, 1);
    const leaves = async () =>
      (
        await pool.query(
          `select sequence, leaf, data from read_model.audit_entries
           where organization_id = $1 order by sequence`,
          [other.user.organization.id],
        )
      ).rows;
    const hashed = await leaves();
    await product.restart(async () => {
      await pool.query('delete from operational.person_keys where person_id = $1', [other.user.id]);
      await pool.query(`update read_model.checkpoints set version = 0
        where projection = 'audit-log'`);
    });
    const entries = () => audited(other.client, { kind: 'UserRegistered' });
    const erased = { field: 'email', before: null, after: 'erased' };
    await expect.poll(async () => (await entries())[0]?.changes).toContainEqual(erased);
    await expect.poll(async () => (await replayed(other.client)).length).toBe(before.length);
    const after = await replayed(other.client);
    expect(JSON.stringify(after)).not.toContain(other.user.email);
    expect(sequences(after)).toEqual(sequences(before));
    expect(await audited(other.client, { q: other.user.email })).toEqual([]);
    expect(await leaves()).toEqual(hashed);
    await pool.end();
  });
});

describe('the history', () => {
  const historyOf = async (who: ApiClient, path: string) =>
    who.send<LoggedEvent[]>('GET', `/api/${path}/history`);
  const typesOf = (events: readonly LoggedEvent[]) => events.map(({ type }) => type);

  it('of a task has its credits too, and no address', async () => {
    const { client } = await registerOrganization(product.url);
    const { agent } = await agentWithArticle(client);
    const params = { id: agent.id };
    const { body: done } = await client.call<ExecutionResult>(executeTask, {
      params,
      body: { input },
    });
    const { status, body } = await historyOf(client, `tasks/${done.taskId}`);
    expect(status).toBe(200);
    expect(typesOf(body).toReversed()).toEqual([
      'CreditsReserved',
      'TaskRequested',
      'TaskStarted',
      'TaskSucceeded',
      'CreditsCharged',
    ]);
    for (const event of body) {
      expect(event.object).toMatchObject({ kind: 'task', id: done.taskId });
      expect(event).not.toHaveProperty('address');
      expect(event).not.toHaveProperty('signInId');
    }
    const page = await client.send<LoggedEvent[]>(
      'GET',
      `/api/tasks/${done.taskId}/history?limit=3`,
    );
    const [, next = ''] = /<(.+)>/.exec(page.headers.get('link') ?? '') ?? [];
    expect([...page.body, ...(await client.send<LoggedEvent[]>('GET', next)).body]).toEqual(body);
  });

  it('of a member and of the organization is for Admins', async () => {
    const { client, user } = await registerOrganization(product.url);
    const own = await historyOf(client, `members/${user.id}`);
    expect(typesOf(own.body)).toContain('MemberJoined');
    const organization = await historyOf(client, 'organization');
    expect(typesOf(organization.body)).toContain('OrganizationRegistered');
    expect(typesOf(organization.body)).toContain('CreditsGranted');
  });

  it('of a task reveals nothing else by its id', async () => {
    const { client, user } = await registerOrganization(product.url);
    const viewer = (await membersOfEachRole(client, product.url)).get('Viewer') as ApiClient;
    for (const id of [user.id, user.organization.id]) {
      expect((await historyOf(client, `tasks/${id}`)).status).toBe(404);
      const { status, headers } = await viewer.send('GET', `/api/tasks/${id}/history?limit=1`);
      expect([status, headers.get('link')]).toEqual([404, null]);
    }
    expect((await historyOf(client, `members/${user.organization.id}`)).status).toBe(404);
  });

  it('of nothing is none', async () => {
    const { client } = await registerOrganization(product.url);
    for (const kind of ['tasks', 'members']) {
      expect((await historyOf(client, `${kind}/${newId()}`)).status).toBe(404);
      const { status } = await client.send('GET', `/api/${kind}/${newId()}/history?cursor=x`);
      expect(status).toBe(422);
    }
  });
});
