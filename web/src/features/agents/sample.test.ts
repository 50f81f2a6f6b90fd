import { AgentInput } from '@tallyhand/contracts/features/agents/agents.fields';
import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../../app/base-query.ts';
import { problemOf } from '../../app/problem.ts';
import { filesOf, folders } from '../../locales/testing/words.ts';
import {
  type Ask,
  addSample,
  contentsOf,
  findSample,
  MARKS,
  PIECES,
  removeSample,
} from './sample.ts';

const THREE = [0, 1, 2];

function contentsIn(language: string) {
  const files = filesOf(language);
  const of = (key: string) => files.get('templates')?.get(`of.support.${key}`) ?? '';
  const own = (key: string) => files.get('sample')?.get(key) ?? '';
  return contentsOf({
    agent: {
      name: of('name'),
      description: of('description'),
      role: of('role'),
      personality: of('personality'),
      expertise: THREE.map((area) => of(`expertise.${area}`)),
    },
    returns: { title: of('article.title'), content: of('article.content') },
    shipping: { title: own('shipping.title'), content: own('shipping.content') },
    playbook: {
      title: own('playbook.title'),
      description: own('playbook.description'),
      steps: THREE.map((step) => own(`playbook.steps.${step}`)),
    },
    tool: { name: own('tool.name'), description: own('tool.description') },
  });
}

describe.each(folders)('the sample data in %s', (language) => {
  it('is taken by the server with its marks', () => {
    const { returns, shipping, playbook, tool, agent } = contentsIn(language);
    expect(ArticleInput.parse(returns).tags).toContain(MARKS.returns);
    expect(ArticleInput.parse(shipping).tags).toContain(MARKS.shipping);
    expect(PlaybookInput.parse(playbook)).toMatchObject({ steps: playbook.steps });
    expect(PlaybookInput.parse(playbook).tags).toContain(MARKS.playbook);
    expect(ToolInput.parse(tool).config.extras).toHaveProperty([MARKS.tool]);
    expect(AgentInput.parse(agent).personaConfig.expertise).toContain(MARKS.agent);
  });
});

type Stored = Record<string, unknown> & { id: string; version: number };
type Uses = { articles: string[]; playbooks: string[]; tools: string[] };

/** An organization behind the ordinary calls; `refuses` names a call that is refused. */
class Organization {
  readonly lists: Record<string, Stored[]> = {
    knowledge: [],
    playbooks: [],
    tools: [],
    agents: [],
  };
  readonly uses = new Map<string, Uses>();
  refuses = '';
  #ids = 0;

  readonly ask: Ask = ({ method, path, body, ifMatch }: Call) => {
    const [, , kind = '', id = '', part] = path.split('?')[0]?.split('/') ?? [];
    if (`${method} ${kind}` === this.refuses) return { error: problemOf(429, undefined) };
    const list = this.lists[kind] ?? [];
    if (part === 'assignments') return { data: { ...this.uses.get(id), version: 1 } };
    if (part === 'assign') {
      this.uses.set(id, body as Uses);
      return { data: body };
    }
    if (method === 'GET') return { data: list.filter((each) => isFound(each, path)) };
    if (method === 'POST') {
      const stored = { ...(body as object), id: `${kind}-${++this.#ids}`, version: 1 };
      if (kind === 'agents') this.uses.set(stored.id, body as Uses);
      list.push(stored);
      return { data: stored };
    }
    const found = list.find((each) => each.id === id);
    if (!found) return { error: problemOf(404, undefined) };
    if (ifMatch !== `"${found.version}"`) return { error: problemOf(412, undefined) };
    list.splice(list.indexOf(found), 1);
    return { data: null };
  };

  count(): number {
    return Object.values(this.lists).flat().length;
  }
}

/** As the lists search: a tag as a whole, `q` as a part of any text. */
function isFound(each: Stored, path: string) {
  const search = new URLSearchParams(path.split('?')[1]);
  const tag = search.get('tag');
  const tags = (each.tags ?? []) as string[];
  return (!tag || tags.includes(tag)) && JSON.stringify(each).includes(search.get('q') ?? '');
}

const english = contentsIn('en');

let organization: Organization;
let ask: Ask;
beforeEach(() => {
  organization = new Organization();
  ask = organization.ask;
});

const remove = async () => removeSample(ask, await findSample(ask));

describe('addSample', () => {
  it('adds each piece once, and gives the agent all others', async () => {
    const id = await addSample(ask, english);
    const pieces = await findSample(ask);
    expect(pieces.map(({ piece }) => piece)).toEqual(PIECES);
    expect(pieces.some(({ isChanged }) => isChanged)).toBe(false);
    const { articles, playbooks, tools } = organization.uses.get(id) ?? expect.fail('no agent');
    expect([articles.length, playbooks.length, tools.length]).toEqual([2, 1, 1]);
  });

  it('adds nothing twice, also in another language', async () => {
    const id = await addSample(ask, english);
    expect(await addSample(ask, contentsIn('de'))).toBe(id);
    expect(organization.count()).toBe(PIECES.length);
  });

  it.each(['POST knowledge', 'POST playbooks', 'POST tools', 'POST agents'])(
    'adds the rest at the second attempt when %s was refused',
    async (refused) => {
      organization.refuses = refused;
      await expect(addSample(ask, english)).rejects.toMatchObject({ problem: { status: 429 } });
      organization.refuses = '';
      await addSample(ask, english);
      expect((await findSample(ask)).map(({ piece }) => piece)).toEqual(PIECES);
    },
  );

  it('gives an agent that is there already what was added beside its own resources', async () => {
    const id = await addSample(ask, english);
    organization.lists.knowledge?.pop();
    organization.uses.get(id)?.articles.splice(1, 1, 'own-article');
    await addSample(ask, english);
    const shipping = (await findSample(ask)).find(({ piece }) => piece === 'shipping');
    expect(organization.uses.get(id)?.articles).toContain(shipping?.id);
    expect(organization.uses.get(id)?.articles).toContain('own-article');
  });
});

describe('removeSample', () => {
  it('removes what was added and nothing else', async () => {
    await ask({ method: 'POST', path: '/api/knowledge', body: { tags: ['returns'] } });
    await ask({ method: 'POST', path: '/api/tools', body: { config: { extras: {} } } });
    await addSample(ask, english);
    await remove();
    expect(organization.count()).toBe(2);
    expect(await findSample(ask)).toEqual([]);
  });

  it('leaves a piece that a member has changed', async () => {
    await addSample(ask, english);
    for (const each of organization.lists.playbooks ?? []) each.version = 2;
    await remove();
    expect(await findSample(ask)).toMatchObject([{ piece: 'playbook', isChanged: true }]);
  });

  it('leaves the agent that a member has given other resources', async () => {
    const id = await addSample(ask, english);
    organization.uses.get(id)?.articles.push('own-article');
    await remove();
    expect(await findSample(ask)).toMatchObject([{ piece: 'agent', isChanged: true }]);
  });

  it('is refused for a piece that was changed after it was shown', async () => {
    await addSample(ask, english);
    const seen = await findSample(ask);
    for (const each of organization.lists.agents ?? []) each.version = 2;
    await expect(removeSample(ask, seen)).rejects.toMatchObject({ problem: { status: 412 } });
  });

  it('removes the rest when a part was deleted by hand, also in the meantime', async () => {
    await addSample(ask, english);
    organization.lists.agents?.pop();
    const seen = await findSample(ask);
    organization.lists.tools?.pop();
    await removeSample(ask, seen);
    expect(organization.count()).toBe(0);
  });
});
