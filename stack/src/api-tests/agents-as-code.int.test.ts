import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CommandLineHere,
  newcomer,
  newcomerWithAgent,
  signedInNewcomer,
} from '../testing/command-line.ts';

let homes: string;
beforeAll(async () => {
  homes = await mkdtemp(join(tmpdir(), 'agents-as-code-'));
});
afterAll(() => rm(homes, { recursive: true }));

const here = () => CommandLineHere.in(homes);

const SECRET = 'canary-of-the-shop';
const OPENAPI = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders': { get: { operationId: 'orders', responses: { 200: { description: 'ok' } } } },
  },
});

type Diff = { changes: { action: string; name: string; fields?: string[] }[]; unchanged: number };

/** An organization with one object of each kind, and its files. */
async function exported() {
  const person = await newcomerWithAgent(await here());
  const { client, agent, article, cli } = person;
  const tool = await client.tools.create({
    name: 'Orders',
    description: 'Looks orders up in the shop',
    type: 'api',
    config: { baseUrl: 'https://shop.example.com/api', authType: 'bearer', openapi: OPENAPI },
    authCredentials: { token: SECRET },
  });
  const playbook = await client.playbooks.create({
    title: 'Refund a customer',
    description: 'What to do when a customer asks for a refund',
    steps: ['Find the order', 'Check its date', 'Refund it or say why not'],
    category: 'Support',
  });
  const resources = { articles: [article.id], playbooks: [playbook.id], tools: [tool.id] };
  await client.agents.assign(agent.id, resources);
  const folder = join(cli.home, 'code');
  await cli.do('export', folder);
  const planned = () => cli.json<Diff>('diff', folder);
  return { ...person, tool, playbook, folder, planned };
}

const files = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml')).toSorted();

async function edit(file: string, from: string | RegExp, to: string) {
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(from);
  await writeFile(file, text.replace(from, to));
}

/** An article with a fault that only the server sees is not possible: a tool has one. */
const BROKEN_TOOL = `name: Broken
description: Has a document that nobody can read
config:
  baseUrl: https://shop.example.com
  openapi: "no document"
`;

describe('tallyhand export', () => {
  it('writes a file for each object, without secrets, and apply has nothing to change', async () => {
    const { cli, folder, planned } = await exported();
    expect(await files(folder)).toEqual([
      'agents/support.yaml',
      'articles/returns.yaml',
      'playbooks/refund-a-customer.yaml',
      'tools/orders.yaml',
    ]);
    const tool = await readFile(join(folder, 'tools/orders.yaml'), 'utf8');
    expect(tool).toContain('credentials:\n  - token\n');
    expect(tool).not.toContain(SECRET);
    expect(await planned()).toMatchObject({ changes: [], unchanged: 4, extra: [] });
    expect(await cli.do('apply', folder)).toContain('Nothing to change.');
  });

  it('names the connection of a model, which apply finds in another organization', async () => {
    const { cli, client, agent, folder, planned } = await exported();
    const input = {
      name: 'Own server',
      provider: 'vllm' as const,
      baseUrl: 'https://models.example.com/v1',
      models: ['small', 'large'],
    };
    const connection = await client.connections.create(input);
    const chosen = { connectionId: connection.id, model: 'large' };
    await client.agents.update(agent.id, { model: { ...chosen, fallback: chosen } });
    await cli.do('export', folder);
    const file = join(folder, 'agents/support.yaml');
    const text = await readFile(file, 'utf8');
    expect(text.match(/connection: Own server/g)).toHaveLength(2);
    expect(text).not.toContain(connection.id);
    expect(await planned()).toMatchObject({ changes: [], unchanged: 4 });

    await writeFile(
      file,
      text.replaceAll('connection: Own server', `connectionId: ${connection.id}`),
    );
    expect(await planned()).toMatchObject({ changes: [], unchanged: 4 });
    await writeFile(file, text);

    const other = await signedInNewcomer(await here());
    const stdin = JSON.stringify({ Orders: { token: SECRET } });
    const applyThere = () => other.cli.run(['apply', folder, '--credentials', '-'], { stdin });
    const missing = await applyThere();
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/support\.yaml:\d+: model: the connection "Own server" does not exist/),
    ]);
    const theirs = await other.client.connections.create(input);
    expect((await applyThere()).code).toBe(0);
    const [made] = (await other.client.agents.list()).data;
    expect(made?.model).toMatchObject({
      connectionId: theirs.id,
      model: 'large',
      fallback: { connectionId: theirs.id },
    });
  });

  it('keeps the file of an object, and deletes those of deleted ones with --prune', async () => {
    const { cli, client, folder, playbook } = await exported();
    const agents = join(folder, 'agents');
    const text = await readFile(join(agents, 'support.yaml'), 'utf8');
    await writeFile(join(agents, 'mine.yml'), text);
    await rm(join(agents, 'support.yaml'));
    await client.playbooks.delete(playbook.id);
    expect((await cli.run(['export', folder])).stderr).toContain('no longer in Tallyhand');
    await cli.do('export', folder, '--prune');
    expect(await readdir(agents)).toEqual(['mine.yml']);
    expect(await readdir(join(folder, 'playbooks'))).toEqual([]);
  });
});

describe('tallyhand apply', () => {
  it('makes another organization the same, in one entry of each history', async () => {
    const { folder } = await exported();
    const { cli, client } = await signedInNewcomer(await here());
    const refused = await cli.run(['apply', folder]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--credentials')]);
    expect(refused.stderr).toMatch(/orders\.yaml:\d+: the new tool "Orders" needs .*\(token\)/);
    expect((await client.articles.list()).data).toEqual([]);
    const stdin = JSON.stringify({ Orders: { token: SECRET } });
    const first = await cli.run(['apply', folder, '--credentials', '-'], { stdin });
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('4 to create')]);
    expect(first.stdout + first.stderr).not.toContain(SECRET);
    const [agent] = (await client.agents.list()).data;
    const [article] = (await client.articles.list()).data;
    const [tool] = (await client.tools.list()).data;
    expect(await client.agents.assignments.retrieve(agent?.id ?? '')).toMatchObject({
      articles: [article?.id],
      tools: [tool?.id],
    });
    expect((await client.articles.history.list(article?.id ?? '')).data).toHaveLength(1);
    expect((await client.tools.history.list(tool?.id ?? '')).data).toHaveLength(1);
    expect((await client.agents.history.list(agent?.id ?? '')).data).toHaveLength(1);
    const again = await cli.run(['apply', folder]);
    expect(again.stdout).toContain('0 to create, 0 to update, 4 unchanged.');
    expect((await client.tools.history.list(tool?.id ?? '')).data).toHaveLength(1);
  });

  it('sends what differs, an agent with its resources in one entry of its history, and says which credentials that deletes', async () => {
    const { cli, client, folder, planned, article, tool, agent } = await exported();
    await edit(join(folder, 'articles/returns.yaml'), '30 days', '60 days');
    await edit(join(folder, 'tools/orders.yaml'), 'shop.example.com', 'elsewhere.example.com');
    await edit(join(folder, 'agents/support.yaml'), '  - Refund a customer\n', '  []\n');
    const diff = await cli.do('diff', folder);
    expect(diff).toContain('-content: Items can be returned within 30 days');
    expect(diff).toContain('+content: Items can be returned within 60 days');
    expect(diff).toContain('! its credentials (token) are deleted');
    expect((await cli.run(['diff', folder, '--exit-code'])).code).toBe(1);
    const { changes } = await planned();
    expect(changes.map(({ name, fields }) => [name, fields])).toEqual([
      ['Returns', ['content']],
      ['Orders', ['config']],
      ['Support', ['assignments']],
    ]);
    const applied = await cli.run(['apply', folder]);
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining(': token.')]);
    expect((await client.articles.retrieve(article.id)).content).toContain('60 days');
    expect((await client.articles.history.list(article.id)).data).toHaveLength(2);
    expect((await client.tools.retrieve(tool.id)).credentialsRequired?.names).toEqual(['token']);
    expect((await client.agents.assignments.retrieve(agent.id)).playbooks).toEqual([]);
    expect(await planned()).toMatchObject({ changes: [] });

    await edit(join(folder, 'agents/support.yaml'), '  []\n', '  - Refund a customer\n');
    await edit(join(folder, 'agents/support.yaml'), 'Patient and kind', 'Patient and precise');
    const before = (await client.agents.history.list(agent.id)).data.length;
    await cli.do('apply', folder);
    const { data } = await client.agents.history.list(agent.id);
    expect(data).toHaveLength(before + 1);
    expect(data[0]?.changes.map(({ field }) => field).toSorted()).toEqual([
      'personaConfig.personality',
      'playbooks',
    ]);
    expect(await planned()).toMatchObject({ changes: [] });
  });

  it('deletes what no file describes only with --prune, and asks first', async () => {
    const { cli, client, folder } = await exported();
    await edit(join(folder, 'agents/support.yaml'), /articles:[\s\S]*$/, '');
    await rm(join(folder, 'articles'), { recursive: true });
    expect(await cli.do('apply', folder)).toContain('1 object in no file; see --prune.');
    const asked = await cli.run(['apply', folder, '--prune']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Answer with --yes.')]);
    expect((await client.articles.list()).data).toHaveLength(1);
    await cli.do('apply', folder, '--prune', '--yes');
    expect((await client.articles.list()).data).toEqual([]);
    expect((await client.tools.list()).data).toHaveLength(1);
  });

  it('changes nothing when two objects or files share a name, or any file has a fault, whose line it names', async () => {
    const { cli, client, folder, article } = await exported();
    const { title, content, category } = article;
    const twin = await client.articles.create({ title, content, category });
    for (const line of ['apply', 'diff', 'export']) {
      const { code, stderr } = await cli.run([line, folder]);
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining('2 articles have the name "Returns"'),
      ]);
      expect(stderr).toContain(twin.id);
    }
    await client.articles.delete(twin.id);
    const text = await readFile(join(folder, 'articles/returns.yaml'), 'utf8');
    await writeFile(join(folder, 'articles/twin.yaml'), text);
    const shared = await cli.run(['apply', folder]);
    expect([shared.code, shared.stderr]).toEqual([
      2,
      expect.stringMatching(/twin\.yaml:1: the article "Returns" is/),
    ]);
    await rm(join(folder, 'articles/twin.yaml'));

    await edit(join(folder, 'articles/returns.yaml'), '30 days', '60 days');
    await edit(join(folder, 'agents/support.yaml'), '  - Orders', '  - Oders');
    const unknown = await cli.run(['apply', folder]);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('Nothing was changed'),
    ]);
    expect(unknown.stderr).toMatch(
      /code\/agents\/support\.yaml:\d+: tools: the tool "Oders" does not/,
    );
    await edit(join(folder, 'tools/orders.yaml'), 'authType: bearer', 'authType: beerer');
    await writeFile(join(folder, 'articles/broken.yaml'), 'title: "Open\n');
    const faulty = await cli.run(['apply', folder]);
    expect(faulty.stderr).toMatch(/articles\/broken\.yaml:\d+: Missing closing/);
    expect(faulty.stderr).toMatch(/tools\/orders\.yaml:\d+: config\.authType: authType must be/);
    expect((await client.articles.list()).data).toEqual([expect.objectContaining({ version: 1 })]);
  });

  it('says what was done when it fails in the middle, and continues the next time', async () => {
    const { folder } = await exported();
    const { cli, client } = await signedInNewcomer(await here());
    await writeFile(join(folder, 'tools/broken.yaml'), BROKEN_TOOL);
    await edit(join(folder, 'tools/orders.yaml'), 'authType: bearer', 'authType: none');
    const failed = await cli.run(['apply', folder]);
    expect([failed.code, failed.stderr]).toEqual([
      4,
      expect.stringContaining('create tool "Broken":'),
    ]);
    expect(failed.stderr).toContain('Done so far: create article "Returns", create playbook');
    expect((await client.agents.list()).data).toEqual([]);
    await rm(join(folder, 'tools/broken.yaml'));
    expect(await cli.do('apply', folder)).toContain('2 to create, 0 to update, 2 unchanged.');
    expect((await client.agents.list()).data).toHaveLength(1);
  });

  it('is refused to a key that may not change the objects', async () => {
    const { folder } = await exported();
    await rm(join(folder, 'tools'), { recursive: true });
    await edit(join(folder, 'agents/support.yaml'), '  - Orders\n', '  []\n');
    const { cli, url, key } = await newcomer(await here(), 'Viewer');
    const env = { TALLYHAND_URL: url, TALLYHAND_API_KEY: key };
    const { code, stderr } = await cli.run(['apply', folder], { env });
    expect([code, stderr]).toEqual([4, expect.stringContaining('Done so far: nothing.')]);
  });

  it('explains a folder that has no files', async () => {
    const { cli } = await signedInNewcomer(await here());
    await mkdir(join(cli.home, 'empty'));
    const empty = await cli.run(['apply', join(cli.home, 'empty')]);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('has no YAML files')]);
    const absent = await cli.run(['apply', join(cli.home, 'absent')]);
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('There is no such')]);
  });
});
