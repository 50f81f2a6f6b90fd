import {
  type Agent,
  type Assignments,
  assignResources,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  getAssignments,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  changeArticle,
  createArticle,
  getArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  changeConnection,
  createConnection,
  getConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  changePlaybook,
  createPlaybook,
  getPlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  changeTool,
  createTool,
  getTool,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentInput,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectionInput } from '../testing/connections.ts';
import { sharedProduct } from '../testing/product.ts';

let client: ApiClient;
beforeAll(async () => {
  const { url } = await sharedProduct();
  ({ client } = await registerOrganization(url));
});

const article = { title: 'Returns', content: 'Within 30 days of delivery.', category: 'General' };

const send = <B = Problem>(endpoint: Endpoint, id: string, body?: unknown, tag?: string) =>
  client.call<B>(endpoint, {
    params: { id },
    ...(body === undefined ? {} : { body }),
    headers: tag === undefined ? {} : { 'if-match': tag },
  });

const tagOf = ({ headers }: { readonly headers: Headers }) => headers.get('etag');

describe.each([
  ['agent', createAgent, getAgent, changeAgent, agentInput, 'description'],
  ['article', createArticle, getArticle, changeArticle, article, 'content'],
  ['playbook', createPlaybook, getPlaybook, changePlaybook, playbookInput, 'description'],
  ['connection', createConnection, getConnection, changeConnection, connectionInput, 'name'],
  ['tool', createTool, getTool, changeTool, toolInput, 'description'],
] as const)('the ETag of an %s', (what, create, get, change, input, field) => {
  it('is the same in every answer, and a change in another state is refused', async () => {
    const created = await client.call<{ id: string }>(create, { body: input });
    const { id } = created.body;
    expect(tagOf(created)).toBe('"1"');
    expect(tagOf(await send(get, id))).toBe('"1"');
    const changed = await send(change, id, { [field]: 'Another text than before' }, '"1"');
    expect([changed.status, tagOf(changed)]).toEqual([200, '"2"']);
    const stale = await send(change, id, { [field]: 'A text that comes too late' }, '"1"');
    expect(stale).toMatchObject({
      status: 412,
      body: { code: 'version-changed', params: { what, version: 2, etag: '"2"' } },
    });
    expect(await send(get, id)).toMatchObject({ body: { version: 2 } });
    expect((await send(change, id, { [field]: 'Without a condition' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it('accepts one of many writers that saw the same state', async () => {
    const { id } = (await client.call<Article>(createArticle, { body: article })).body;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(changeArticle, id, { title: `Title ${n}` }, '"1"')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
    expect(tagOf(await send(getArticle, id))).toBe('"2"');
  });

  it('takes several tags, weak ones from proxies, and *', async () => {
    const { id } = (await client.call<Article>(createArticle, { body: article })).body;
    for (const tag of ['"7", W/"1"', '*', '"3"']) {
      const changed = await send(changeArticle, id, { title: `Title for ${tag}` }, tag);
      expect([tag, changed.status]).toEqual([tag, 200]);
    }
  });

  it.each(['3', '"3', 'W/3', '""3""'])('that is %s is refused by name', async (tag) => {
    const { id } = (await client.call<Article>(createArticle, { body: article })).body;
    const refused = await send(changeArticle, id, { title: 'Another' }, tag);
    expect(refused.status).toBe(422);
    expect(refused.body.errors?.[0]?.path).toBe('If-Match');
  });

  it('notices that an agent was paused, which makes no version', async () => {
    const { id } = (await client.call<Agent>(createAgent, { body: agentInput })).body;
    const paused = await send(changeAgent, id, { isActive: false }, '"1"');
    expect([paused.status, tagOf(paused)]).toEqual([200, '"1-paused"']);
    expect(tagOf(await send(getAgent, id))).toBe('"1-paused"');
    expect((await send(changeAgent, id, { name: 'Another' }, '"1"')).status).toBe(412);
  });

  it('guards deleting and restoring', async () => {
    const { id } = (await client.call<Agent>(createAgent, { body: agentInput })).body;
    expect((await send(deleteAgent, id, undefined, '"2"')).status).toBe(412);
    expect((await send(deleteAgent, id, undefined, '"1"')).status).toBe(204);
    expect((await send(restoreAgent, id, {}, '"2"')).status).toBe(412);
    const restored = await send(restoreAgent, id, {}, '"1"');
    expect([restored.status, tagOf(restored)]).toEqual([200, '"1"']);
  });

  it('guards the assignments of an agent, which have a version of their own', async () => {
    const { id } = (await client.call<Agent>(createAgent, { body: agentInput })).body;
    const { id: first } = (await client.call<Article>(createArticle, { body: article })).body;
    expect(tagOf(await send(getAssignments, id))).toBe('"0"');
    const assigned = await send<Assignments>(assignResources, id, { articles: [first] }, '"0"');
    expect([assigned.status, tagOf(assigned), assigned.body.version]).toEqual([200, '"1"', 1]);
    const both = { description: 'Another text than before', articles: [] };
    expect(tagOf(await send(changeAgent, id, both))).toBe('"2"');
    const stale = await send(assignResources, id, { articles: [first] }, '"1"');
    expect(stale).toMatchObject({ status: 412, body: { params: { version: 2, etag: '"2"' } } });
    const read = await send<Assignments>(getAssignments, id);
    expect([tagOf(read), read.body]).toEqual([
      '"2"',
      { articles: [], playbooks: [], tools: [], version: 2 },
    ]);
  });

  it('guards new credentials of a tool, and a refused change leaves the old ones', async () => {
    const { id } = (await client.call<Tool>(createTool, { body: toolInput })).body;
    const authCredentials = { token: 'another-token' };
    expect((await send(changeTool, id, { authCredentials }, '"9"')).status).toBe(412);
    expect((await send<Tool>(getTool, id)).body).toMatchObject({
      version: 1,
      credentialNames: ['token'],
      credentialsRequired: null,
    });
    expect((await send(changeTool, id, { authCredentials }, '"1"')).status).toBe(200);
  });

  it('is no obstacle to a repeated call, which has the first answer and its ETag', async () => {
    const { id } = (await client.call<Article>(createArticle, { body: article })).body;
    const headers = { 'if-match': '"1"', 'idempotency-key': crypto.randomUUID() };
    const change = () =>
      client.call<Article>(changeArticle, { params: { id }, body: { title: 'Once' }, headers });
    const [first, second] = [await change(), await change()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect([first.status, tagOf(first)]).toEqual([200, '"2"']);
    expect([second.status, tagOf(second), second.body]).toEqual([200, '"2"', first.body]);
  });
});
