import {
  changeAgent,
  createAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  changeArticle,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  changePlaybook,
  createPlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { type SearchGroup, search } from '@tallyhand/contracts/features/search/search.endpoints';
import { startSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { changeTool, createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  type ApiClient,
  agentInput,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let stranger: ApiClient;
beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  ({ client: stranger } = await registerOrganization(product.url));
});

async function found(q: string, by = client): Promise<string[]> {
  const { body } = await by.call<SearchGroup[]>(search, { query: { q } });
  return body.flatMap(({ kind, hits }) => hits.map(({ title }) => `${kind}: ${title}`));
}

const made = async (...[endpoint, options]: Parameters<ApiClient['call']>) => {
  const { body, status } = await client.call<{ id: string }>(endpoint, options);
  expect(status).toBe(201);
  return { id: body.id };
};

describe('the search', () => {
  it('immediately finds created, changed and restored objects, and no deleted ones', async () => {
    const params = await made(createAgent, { body: { ...agentInput, name: 'Aardvark' } });
    expect(await found('aardvark')).toEqual(['agent: Aardvark']);
    await client.call(changeAgent, { params, body: { name: 'Badger' } });
    expect([await found('aardvark'), await found('badger')]).toEqual([[], ['agent: Badger']]);
    await client.call(deleteAgent, { params });
    expect(await found('badger')).toEqual([]);
    await client.call(restoreAgent, { params });
    expect(await found('badger')).toEqual(['agent: Badger']);
  });

  it("follows the names, tags and texts of an agent's resources", async () => {
    const content = 'The walrus sleeps through the whole of the winter.';
    const article = await made(createArticle, {
      body: { title: 'Animals', content, category: 'General', tags: ['Tusks'] },
    });
    expect(await found('sleeping walruses')).toEqual(['article: Animals']);
    expect(await found('tusks')).toEqual(['article: Animals']);
    await client.call(changeArticle, { params: article, body: { tags: ['Whiskers'] } });
    expect([await found('tusks'), await found('whiskers')]).toEqual([[], ['article: Animals']]);
    const playbook = await made(createPlaybook, {
      body: { ...playbookInput, title: 'Feeding ferrets' },
    });
    await client.call(changePlaybook, {
      params: playbook,
      body: { description: 'Also otters, twice' },
    });
    expect(await found('otters ferrets')).toEqual(['playbook: Feeding ferrets']);
    const tool = await made(createTool, { body: { ...toolInput, name: 'Hedgehog' } });
    await client.call(changeTool, { params: tool, body: { name: 'Porcupine' } });
    expect([await found('hedgehog'), await found('porcupine')]).toEqual([[], ['tool: Porcupine']]);
  });

  it('finds the requests of tasks', async () => {
    const params = await made(createAgent, { body: agentInput });
    await client.call(executeTask, { params, body: { input: 'Count the flamingos' } });
    await client.call(startSession, { params, body: { goal: 'Photograph flamingos' } });
    expect((await found('flamingos')).sort()).toEqual([
      'session: Photograph flamingos',
      'task: Count the flamingos',
    ]);
  });

  it('shows no other organization any of it', async () => {
    for (const q of ['badger', 'walrus', 'whiskers', 'ferrets', 'porcupine', 'flamingos']) {
      expect(await found(q, stranger)).toEqual([]);
    }
  });
});
