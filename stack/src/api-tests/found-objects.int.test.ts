import {
  type Agent,
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  createArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  createPlaybook,
  listPlaybooks,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  changeTool,
  createTool,
  listTools,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { SORTS } from '@tallyhand/contracts/kernel/lists';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { nextOf, pagesFrom } from '../testing/audit-pages.ts';
import { sharedProduct } from '../testing/product.ts';

let client: ApiClient;
let other: ApiClient;
const agents = new Map<string, Agent>();
let article: Article;
let playbook: Playbook;
let tool: Tool;

const NAMES = ['Zebra', 'ärmel', 'Box', 'apple'];

async function created<T>(by: ApiClient, endpoint: Endpoint, body: object): Promise<T> {
  const answer = await by.call<T>(endpoint, { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

beforeAll(async () => {
  const { url } = await sharedProduct();
  ({ client } = await registerOrganization(url));
  ({ client: other } = await registerOrganization(url));
  for (const name of NAMES) {
    agents.set(name, await created(client, createAgent, { ...agentInput, name }));
    await created(other, createAgent, { ...agentInput, name });
  }
  const texts = {
    content: 'Within 30 days of delivery.',
    category: 'Sales',
    tags: ['Returns', 'Eu'],
  };
  article = await created(client, createArticle, { ...texts, title: 'Returns', isPublic: true });
  await created(client, createArticle, { ...texts, title: 'Zoo', category: 'General', tags: [] });
  playbook = await created(client, createPlaybook, { ...playbookInput, tags: ['Refunds'] });
  tool = await created(client, createTool, toolInput);
  await created(client, createTool, {
    name: 'News',
    description: 'Reads the news of the day',
    type: 'browser',
    config: { extras: { startUrl: 'https://News.example.com:8443/today' } },
  });
  await created(client, createTool, {
    name: 'Script',
    description: 'Calculates what is due',
    type: 'custom',
    config: { extras: { script: 'return 1' }, allowedHosts: ['api.example.com'] },
  });
  const box = agents.get('Box');
  const body = { articles: [article.id], playbooks: [playbook.id], tools: [tool.id] };
  await client.call(assignResources, { params: { id: box?.id ?? '' }, body });
  const apple = agents.get('apple')?.id ?? '';
  await client.call(changeAgent, {
    params: { id: apple },
    body: {
      isActive: false,
      personaConfig: { ...agentInput.personaConfig, expertise: ['Pomology'] },
    },
  });
});

type Named = { readonly name?: string; readonly title?: string; readonly updatedAt: string };
const namesOf = (list: readonly Named[]) => list.map(({ name, title }) => name ?? title);

async function find(endpoint: Endpoint, query: Record<string, string>) {
  const { status, body } = await client.call<Named[]>(endpoint, { query });
  expect(status).toBe(200);
  return namesOf(body);
}

const queries = (...all: readonly Record<string, string>[]) => all;

const SORTED = {
  name: ['apple', 'ärmel', 'Box', 'Zebra'],
  createdAt: NAMES,
  updatedAt: ['Zebra', 'ärmel', 'Box', 'apple'],
};

describe('a list of agents', () => {
  it.each(SORTS)('is sorted by %s, and its pages too', async (sort) => {
    const field = sort.replace('-', '') as keyof typeof SORTED;
    const expected = sort.startsWith('-') ? SORTED[field].toReversed() : SORTED[field];
    expect(await find(listAgents, { sort })).toEqual(expected);
    const pages = await pagesFrom<Named>(client, `${listAgents.path}?limit=1&sort=${sort}`);
    expect(pages.map(namesOf)).toEqual(expected.map((name) => [name]));
  });

  it('has the newest first where nothing is said', async () => {
    expect(await find(listAgents, {})).toEqual(NAMES.toReversed());
  });

  it('pages through agents of the same name, each once', async () => {
    const { client: own } = await registerOrganization((await sharedProduct()).url);
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await created<Agent>(own, createAgent, agentInput)).id);
    const pages = await pagesFrom<Agent>(own, `${listAgents.path}?limit=2&sort=-name`);
    expect(
      pages
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.sort());
  });

  it.each(SORTS)('has no page of another sort behind one of %s', async (sort) => {
    const { headers } = await client.call(listAgents, { query: { limit: '1', sort } });
    const path = nextOf(headers) ?? '';
    const query = new URLSearchParams(path.split('?')[1]);
    for (const wrong of SORTS.filter((one) => one !== sort)) {
      query.set('sort', wrong);
      const { status, body } = await client.send<Problem>('GET', `${listAgents.path}?${query}`);
      expect([status, body.errors?.[0]?.path]).toEqual([422, 'cursor']);
    }
  });

  it('tells when an agent was changed', async () => {
    const { body } = await client.call<Agent[]>(listAgents, { query: { sort: '-updatedAt' } });
    const [last] = body;
    expect(last?.name).toBe('apple');
    expect(Date.parse(last?.updatedAt ?? '')).toBeGreaterThan(Date.parse(last?.createdAt ?? ''));
    const unchanged = body.find(({ name }) => name === 'Zebra');
    expect(unchanged?.updatedAt).toBe(unchanged?.createdAt);
    expect(await find(listAgents, { updatedFrom: last?.updatedAt ?? '' })).toEqual(['apple']);
    expect(await find(listAgents, { updatedTo: unchanged?.createdAt ?? '' })).toEqual([]);
  });

  it('is found by a part of the name or persona, in capital or small letters', async () => {
    expect(await find(listAgents, { q: 'ÄRM' })).toEqual(['ärmel']);
    expect(await find(listAgents, { q: 'pomolog' })).toEqual(['apple']);
    expect(await find(listAgents, { q: '%' })).toEqual([]);
  });

  it('is found by state, by what is assigned and by time, together', async () => {
    expect(await find(listAgents, { isActive: 'false' })).toEqual(['apple']);
    const assigned = { articleId: article.id, playbookId: playbook.id, toolId: tool.id };
    const today = new Date().toISOString().slice(0, 10);
    const all = { ...assigned, isActive: 'true', q: 'box', from: today, updatedFrom: today };
    expect(await find(listAgents, { ...all, sort: 'name' })).toEqual(['Box']);
    for (const [name, value] of Object.entries({
      articleId: crypto.randomUUID(),
      playbookId: crypto.randomUUID(),
      toolId: crypto.randomUUID(),
      isActive: 'false',
      q: 'apple',
      from: '2999-01-01',
      to: '2020-01-01',
      updatedFrom: '2999-01-01',
      updatedTo: '2020-01-01',
    })) {
      for (const sort of SORTS) {
        expect(await find(listAgents, { ...all, [name]: value, sort })).toEqual([]);
      }
    }
  });

  it('continues within the matches', async () => {
    const pages = await pagesFrom<Named>(
      client,
      `${listAgents.path}?limit=1&isActive=true&sort=name`,
    );
    expect(pages.flatMap(namesOf)).toEqual(['ärmel', 'Box', 'Zebra']);
  });

  it('never shows those of another organization', async () => {
    const id = agents.get('Zebra')?.id ?? '';
    const { headers } = await client.call(listAgents, { query: { limit: '1', sort: 'name' } });
    const path = nextOf(headers)?.replace('limit=1', 'limit=9') ?? '';
    const { body } = await other.send<Agent[]>('GET', path);
    expect(body.some((agent) => agent.id === id)).toBe(false);
    const query = { articleId: article.id };
    expect((await other.call<Agent[]>(listAgents, { query })).body).toEqual([]);
  });

  it('leaves out what was deleted, in every sort', async () => {
    const { id } = await created<Agent>(client, createAgent, { ...agentInput, name: 'Gone' });
    await client.call(deleteAgent, { params: { id } });
    for (const sort of SORTS) expect(await find(listAgents, { sort })).not.toContain('Gone');
  });
});

describe('the lists of articles, playbooks and tools', () => {
  it('find articles by text, category, tag and audience', async () => {
    expect(await find(listArticles, { sort: '-name' })).toEqual(['Zoo', 'Returns']);
    for (const query of queries(
      { q: 'TURN' },
      { category: 'sales' },
      { tag: 'EU' },
      { isPublic: 'true' },
    )) {
      expect(await find(listArticles, query)).toEqual(['Returns']);
    }
    for (const query of queries({ q: 'delivery' }, { category: 'sale' }, { tag: 'E' })) {
      expect(await find(listArticles, query)).toEqual([]);
    }
  });

  it('find playbooks by text, category and tag', async () => {
    for (const query of queries(
      { q: 'money' },
      { category: 'customer support' },
      { tag: 'refunds' },
    )) {
      expect(await find(listPlaybooks, query)).toEqual([playbook.title]);
    }
    expect(await find(listPlaybooks, { tag: 'refund' })).toEqual([]);
  });

  it('find tools by text, type and host', async () => {
    expect(await find(listTools, { sort: 'name' })).toEqual(['News', 'Orders', 'Script']);
    expect(await find(listTools, { q: 'the day' })).toEqual(['News']);
    expect(await find(listTools, { type: 'custom' })).toEqual(['Script']);
    expect(await find(listTools, { host: 'SHOP.example.com' })).toEqual(['Orders']);
    expect(await find(listTools, { host: 'news.example.com' })).toEqual(['News']);
    expect(await find(listTools, { host: 'news.example.com:8443' })).toEqual(['News']);
    expect(await find(listTools, { host: 'api.example.com' })).toEqual(['Script']);
    expect(await find(listTools, { host: 'example.com' })).toEqual([]);
  });

  it('find tools whose credentials must be entered again', async () => {
    expect(await find(listTools, { needsCredentials: 'true' })).toEqual([]);
    const moveTo = (baseUrl: string) =>
      client.call(changeTool, {
        params: { id: tool.id },
        body: { config: { ...toolInput.config, baseUrl } },
      });
    await moveTo('https://other.example.com');
    expect(await find(listTools, { needsCredentials: 'true' })).toEqual(['Orders']);
    expect(await find(listTools, { needsCredentials: 'false', sort: 'name' })).toEqual([
      'News',
      'Script',
    ]);
    await moveTo(toolInput.config.baseUrl);
  });
});

const time = { from: 'yesterday', to: '2026-13-01', updatedFrom: 'then', updatedTo: '0000-01-01' };
const wrong: readonly (readonly [string, Endpoint, Record<string, string>])[] = [
  ['agents', listAgents, { isActive: 'yes', articleId: '1', playbookId: 'me', toolId: '' }],
  ['articles', listArticles, { isPublic: '1', category: '', tag: 'x'.repeat(101) }],
  ['playbooks', listPlaybooks, { category: 'x'.repeat(101), tag: ' ' }],
  ['tools', listTools, { type: 'sql', host: 'x'.repeat(301), needsCredentials: 'no' }],
];

describe.each(wrong)('a list of %s', (_, endpoint, values) => {
  const all = { ...values, ...time, sort: 'best', q: 'x'.repeat(201), cursor: '7', folder: 'a' };

  it.each(Object.entries(all))('names %s when it is wrong', async (name, value) => {
    const { status, body } = await client.call<Problem>(endpoint, { query: { [name]: value } });
    expect([status, body.errors?.[0]?.path]).toEqual([422, name]);
  });

  it.each(['sort', 'q', 'from', 'updatedTo'])('takes no %s with asOf', async (name) => {
    const value = name === 'sort' ? 'name' : '2026-01-01';
    const query = { asOf: '1', [name]: value };
    const { status, body } = await client.call<Problem>(endpoint, { query });
    expect([status, body.errors?.[0]?.path]).toEqual([422, name]);
  });
});
