import {
  type Agent,
  changeAgent,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  getTrialBalance,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  type Article,
  changeArticle,
  createArticle,
  deleteArticle,
  getArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { getOrganization } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  changePlaybook,
  createPlaybook,
  listPlaybooks,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  changeTool,
  createTool,
  listTools,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentInput,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
beforeAll(async () => {
  // A projection that can't take an event fails a check of the whole product.
  const own = await startTestProduct();
  product = own;
  return () => own[Symbol.asyncDispose]();
});

const lists = [listAgents, listArticles, listPlaybooks, listTools, listLedgerEntries];
const all = [getOrganization, getTrialBalance, ...lists];
/** Longer than what events store inline. */
const longText = 'A long article about returns and deliveries. '.repeat(3_000);

/** Everything that is visible of an organization, now or in the past. */
async function seen(client: ApiClient, asOf?: string) {
  const query = asOf === undefined ? {} : { query: { asOf } };
  const read = async (endpoint: Endpoint) => (await client.call(endpoint, query)).body;
  return JSON.stringify(await Promise.all(all.map(read)));
}

async function newest(client: ApiClient): Promise<AuditEntry> {
  const { body } = await client.call<AuditEntry[]>(listAuditEntries, { query: { limit: '1' } });
  if (!body[0]) throw new Error('The audit log is empty');
  return body[0];
}

/** Changes of every kind, one after the other. */
async function* acts(client: ApiClient) {
  const made = async <T>(endpoint: Endpoint, body: unknown) =>
    (await client.call<T>(endpoint, { body })).body;
  const of = ({ id }: { readonly id: string }, body: unknown = {}) => ({ params: { id }, body });
  const agent = await made<Agent>(createAgent, agentInput);
  yield await client.call(changeAgent, of(agent, { name: 'Renamed' }));
  yield await client.call(changeAgent, of(agent, { isActive: false }));
  const article = await made<Article>(createArticle, {
    title: 'Returns',
    content: longText,
    category: 'General',
    tags: ['a', 'b'],
  });
  yield await client.call(changeAgent, of(agent, { isActive: true }));
  yield await client.call(executeTask, of(agent, { input: 'What about returns and deliveries?' }));
  const playbook = await made<Playbook>(createPlaybook, playbookInput);
  yield await client.call(changeArticle, of(article, { content: 'A short one now', tags: [] }));
  const tool = await made<Tool>(createTool, toolInput);
  yield await client.call(
    changePlaybook,
    of(playbook, { steps: ['Find the order of the customer', 'Say no'] }),
  );
  yield await client.call(deleteAgent, of(agent));
  yield await client.call(changeTool, of(tool, { description: 'Looks up what was ordered' }));
  yield await client.call(restoreAgent, of(agent));
  yield await client.call(deleteArticle, of(article));
}

it('shows everything as it was after each change, and at that moment', async () => {
  const { client } = await registerOrganization(product.url);
  const then: { sequence: number; at: string; state: string }[] = [];
  for await (const { status, body } of acts(client)) {
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    const { sequence, at } = await newest(client);
    then.push({ sequence, at, state: await seen(client) });
  }
  expect(new Set(then.map(({ state }) => state)).size).toBe(then.length);
  for (const { sequence, at, state } of then) {
    expect(await seen(client, String(sequence))).toBe(state);
    expect(await seen(client, at)).toBe(state);
  }
});

it('shows one object as it was, whole, and none before it was made', async () => {
  const { client } = await registerOrganization(product.url);
  const before = await newest(client);
  const body = { title: 'Returns', content: longText, category: 'General' };
  const article = await client.call<Article>(createArticle, { body });
  const params = { id: article.body.id };
  const { sequence } = await newest(client);
  await client.call(changeArticle, { params, body: { content: 'A short one now' } });
  const asOf = async (place: number, endpoint: Endpoint = getArticle) =>
    client.call<Article>(endpoint, { params, query: { asOf: String(place) } });
  expect((await asOf(sequence)).body.content).toBe(longText.trim());
  expect((await asOf(before.sequence)).status).toBe(404);
  expect((await asOf(sequence, getAgent)).status).toBe(404);
  expect((await asOf(0, getOrganization)).status).toBe(404);
});

it('stays at its place from page to page', async () => {
  const { client } = await registerOrganization(product.url);
  for (const name of ['One', 'Two', 'Three']) {
    await client.call(createAgent, { body: { ...agentInput, name } });
  }
  const { at } = await newest(client);
  const first = await client.call<Agent[]>(listAgents, { query: { limit: '2', asOf: at } });
  const [, next = ''] = /<(.*)>/.exec(first.headers.get('link') ?? '') ?? [];
  for (const { id } of first.body) await client.call(deleteAgent, { params: { id } });
  await client.call(createAgent, { body: { ...agentInput, name: 'Four' } });
  const second = await client.send<Agent[]>('GET', next);
  expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(['Three', 'Two', 'One']);
});

it('at the time of an entry includes that entry, even if an earlier one has a later time', async () => {
  const { client, user } = await registerOrganization(product.url);
  const { body: made } = await client.call<Agent>(createAgent, { body: agentInput });
  const { at } = await newest(client);
  const organizationId = user.organization.id;
  const eventLog = openEventLog(product.config.eventStoreUrl);
  const envelope = (recordedAt: string) => ({
    schemaVersion: 1,
    organizationId,
    actor: { kind: 'shipyard' },
    recordedAt,
    correlationId: 'launch',
    causationId: null,
    commandId: newId(),
  });
  const launched = (recordedAt: string) => ({
    id: newId(),
    type: 'ShipLaunched',
    data: { organizationId },
    envelope: envelope(recordedAt),
  });
  const later = new Date(Date.parse(at) + 60_000).toISOString();
  await eventLog.append(`ship-${newId()}`, [launched(later)], null);
  eventLog.close();
  await client.call(changeAgent, { params: { id: made.id }, body: { name: 'Renamed' } });
  const changed = await newest(client);
  expect(changed.at < later).toBe(true);
  const query = { asOf: changed.at };
  const { body } = await client.call<Agent>(getAgent, { params: { id: made.id }, query });
  expect(body.name).toBe('Renamed');
});

it('refuses an invalid position', async () => {
  const { client } = await registerOrganization(product.url);
  const { sequence } = await newest(client);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const wrong = [
    String(sequence + 1),
    tomorrow,
    'yesterday',
    '-1',
    '1.5',
    '2026-13-01T00:00:00Z',
    '',
  ];
  for (const asOf of wrong) {
    for (const endpoint of all) {
      const { status, body } = await client.call<Problem>(endpoint, { query: { asOf } });
      expect([asOf, status, body.errors?.[0]?.path]).toEqual([asOf, 422, 'asOf']);
    }
  }
});
