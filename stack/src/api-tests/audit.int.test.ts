import {
  type Agent,
  changeAgent,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { purchaseCredits } from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  type CurrentUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  apiClient,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { audited, pagesFrom, replayed, sequences } from '../testing/audit-pages.ts';
import { membersOfEachRole } from '../testing/members.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

const input = 'Within how many days can a book be returned?';
const secret = `secret-${crypto.randomUUID()}`;

let product: TestProduct;
let client: ApiClient;
let user: CurrentUser;
let agent: Agent;
let taskId: string;

beforeAll(async () => {
  // A projection that can't take an event fails a check of the whole product.
  const own = await startTestProduct();
  product = own;
  ({ client, user } = await registerOrganization(product.url));
  ({ agent } = await agentWithArticle(client));
  const params = { id: agent.id };
  await client.call(changeAgent, { params, body: { name: 'Service desk' } });
  const done = await client.call<{ taskId: string }>(executeTask, { params, body: { input } });
  ({ taskId } = done.body);
  await client.call(chatWithAgent, { params, body: { message: `A chat about ${secret}` } });
  const tool = { ...toolInput, authCredentials: { token: secret } };
  expect((await client.call(createTool, { body: tool })).status).toBe(201);
  const wrong = { body: { credits: 7, amount: 1 } };
  expect((await client.call(purchaseCredits, wrong)).status).toBe(422);
  const members = await membersOfEachRole(client, product.url);
  const editor = members.get('Editor') as ApiClient;
  const paused = await editor.call(changeAgent, { params, body: { isActive: false } });
  expect(paused.status).toBe(200);
  // Reads of the Admin do not wait for other members' changes.
  await vi.waitFor(async () => expect(await audit({ kind: 'AgentPaused' })).toHaveLength(1));
  return () => own[Symbol.asyncDispose]();
});

const audit = (query: Record<string, string> = {}, by = client) => audited(by, query);

/** Appends straight to the event store, as no code of today does. */
async function appendForeign(organizationId: string, moments: readonly string[], name = 'Vessel') {
  const eventLog = openEventLog(product.config.eventStoreUrl);
  const events = moments.map((recordedAt, index) => ({
    id: newId(),
    type: 'ShipLaunched',
    data: { organizationId, name: `${name} ${index}` },
    envelope: {
      schemaVersion: 3,
      organizationId,
      actor: { kind: 'shipyard', id: 'dock-7' },
      correlationId: 'launch',
      causationId: null,
      commandId: newId(),
      recordedAt,
    },
  }));
  await eventLog.append(`ship-${newId()}`, events, null);
  await eventLog.close();
}

describe('the audit log', () => {
  it('shows who did what, when, from where and to what', async () => {
    const [entry] = await audit({ kind: 'AgentChanged' });
    expect(entry).toMatchObject({
      type: 'AgentChanged',
      actor: { kind: 'member', id: user.id, name: user.username },
      object: { kind: 'agent', id: agent.id, name: 'Service desk' },
      changes: [{ field: 'name', before: 'Support', after: 'Service desk' }],
      address: '127.0.0.1',
      count: 1,
      causationId: null,
    });
    expect(Date.now() - Date.parse(entry?.at ?? '')).toBeLessThan(60_000);
  });

  it("shows the event's values for objects without a history, with decrypted personal values", async () => {
    const registered = (await audit({ kind: 'UserRegistered' })).at(-1);
    expect(registered?.object).toEqual({ kind: 'member', id: user.id, name: user.username });
    expect(registered?.changes).toContainEqual({ field: 'email', before: null, after: user.email });
  });

  it('numbers the entries of each organization from 1, without a gap, newest first', async () => {
    const entries = await audit();
    expect(sequences(entries)).toEqual(entries.map((_, index) => entries.length - index));
  });

  it('has sign-ins and refused calls', async () => {
    const types = (await audit()).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['UserSignedIn', 'CallRefused']));
  });

  it('shows failed sign-ins with their address, and refused actions with their role', async () => {
    const email = user.email;
    const stranger = apiClient(product.url);
    for (const password of ['wrong horse', 'wrong battery', 'wrong staple']) {
      expect((await stranger.call(signIn, { body: { email, password } })).status).toBe(401);
    }
    const viewer = (await membersOfEachRole(client, product.url)).get('Viewer') as ApiClient;
    expect((await viewer.call(createAgent, { body: agentInput })).status).toBe(403);
    expect((await viewer.call(listAuditEntries)).status).toBe(403);
    await vi.waitFor(async () => {
      const refused = await audit({ kind: 'CallRefused' });
      const find = (call: string) =>
        refused.find(({ changes }) => changes.some(({ after }) => after === call));
      expect(find('signIn')).toMatchObject({
        actor: { kind: 'visitor', name: null },
        address: '127.0.0.1',
        count: 1,
        object: { kind: 'member', id: user.id, name: user.username },
      });
      expect(find('createAgent')).toMatchObject({ actor: { kind: 'member' } });
      expect(find('listAuditEntries')).toMatchObject({ address: '127.0.0.1' });
    });
    const unknown = { email: `${crypto.randomUUID()}@example.com`, password: 'wrong horse' };
    expect((await stranger.call(signIn, { body: unknown })).status).toBe(401);
  });

  it('records a refused call, whatever the names of its fields', async () => {
    const other = await registerOrganization(product.url);
    const body = { credits: 7, amount: 1, [`x${'😀'.repeat(200)}`]: 1 };
    expect((await other.client.call(purchaseCredits, { body })).status).toBe(422);
    await expect.poll(() => audit({ kind: 'CallRefused' }, other.client)).toHaveLength(1);
  });

  it('shows no text of a chat, and no secret', async () => {
    const messages = await audit({ kind: 'MessageSent' });
    expect(messages).toHaveLength(1);
    const text = { field: 'text', before: null, after: 'private' };
    expect(messages[0]?.changes).toContainEqual(text);
    expect(JSON.stringify([await audit(), await replayed(client)])).not.toContain(secret);
    expect(await audit({ q: secret })).toEqual([]);
  });

  it('cuts long texts', async () => {
    const long = 'A long question. '.repeat(200);
    const params = { id: agent.id };
    await client.call(changeAgent, { params, body: { isActive: true } });
    await client.call(executeTask, { params, body: { input: long } });
    const [asked] = await audit({ kind: 'TaskRequested' });
    const shown = asked?.changes.find(({ field }) => field === 'input')?.after;
    expect(shown).toBe(long.slice(0, 2_000));
  });

  it('keeps an event with text that no database accepts, in its place', async () => {
    const { client: own, user: theirs } = await registerOrganization(product.url);
    await appendForeign(theirs.organization.id, [new Date().toISOString()], 'A\0B\ud800C');
    await own.call(createAgent, { body: agentInput });
    const [agentMade, launched] = await audit({}, own);
    expect([agentMade?.type, launched?.type]).toEqual(['AgentCreated', 'ShipLaunched']);
    expect(launched?.changes[0]?.after).toBe('A\ufffdB\ufffdC 0');
  });

  it('keeps events of unknown types', async () => {
    const other = await registerOrganization(product.url);
    await appendForeign(other.user.organization.id, [new Date().toISOString()]);
    await expect.poll(() => audit({ kind: 'ShipLaunched' }, other.client)).toHaveLength(1);
    const [launched] = await audit({ actor: 'shipyard' }, other.client);
    expect(launched).toMatchObject({
      actor: { kind: 'shipyard', id: 'dock-7', name: null },
      object: { kind: 'ship', name: null },
      changes: [{ field: 'name', before: null, after: 'Vessel 0' }],
    });
  });
});

describe('a filter of the audit log', () => {
  const cases: Record<string, () => [Record<string, string>, (entry: AuditEntry) => boolean]> = {
    actor: () => [{ actor: user.id }, ({ actor }) => actor.id === user.id],
    'kind of actor': () => [{ actor: 'worker' }, ({ actor }) => actor.kind === 'worker'],
    'kind of object': () => [{ kind: 'article' }, ({ type }) => type.startsWith('Article')],
    'type of event': () => [{ kind: 'AgentCreated' }, ({ type }) => type === 'AgentCreated'],
    object: () => [{ object: taskId }, ({ object }) => object.id === taskId],
    'object and kind': () => [
      { object: taskId, kind: 'ledger' },
      ({ object, type }) => object.id === taskId && type.startsWith('Credits'),
    ],
    'actor and type': () => [
      { actor: user.id, kind: 'AgentPaused' },
      ({ actor, type }) => actor.id === user.id && type === 'AgentPaused',
    ],
  };
  it.each(Object.keys(cases))('by %s finds these, and no others', async (name) => {
    const [query, isMeant] = cases[name]?.() ?? [{}, () => false];
    const expected = sequences((await audit()).filter(isMeant));
    if (name !== 'actor and type') expect(expected.length).toBeGreaterThan(0);
    expect(sequences(await audit(query))).toEqual(expected);
  });

  it.each([
    ['a word of a text', 'returned'],
    ['how it begins, and another', 'ret BOOK'],
    ['the type of the event', 'task requested'],
  ])('by words finds %s', async (_, q) => {
    const found = await audit({ q, object: taskId });
    expect(found.map(({ type }) => type)).toContain('TaskRequested');
  });

  it('by words finds personal values, ids and everything of one call', async () => {
    expect((await audit({ q: user.email })).map(({ type }) => type)).toContain('UserRegistered');
    expect((await audit({ q: `x ${user.email}` })).length).toBe(0);
    const [changed] = await audit({ kind: 'AgentChanged' });
    const ofCall = await audit({ q: changed?.correlationId ?? '' });
    expect(sequences(ofCall)).toEqual([changed?.sequence]);
    expect(await audit({ q: '!?' })).toEqual([]);
  });

  it('by time is exact when clocks went backwards, whatever the other filters', async () => {
    const other = await registerOrganization(product.url);
    const hour = (n: number) => new Date(Date.UTC(2026, 0, 10, n)).toISOString();
    const order = [1, 2, 5, 3, 4, 4, 9, 6, 7, 8, 3, 10, 11, 5, 12];
    await appendForeign(other.user.organization.id, order.map(hour));
    const count = async () => (await audit({ kind: 'ShipLaunched' }, other.client)).length;
    await expect.poll(count).toBe(order.length);
    for (const [from, to] of [
      [1, 13],
      [3, 5],
      [4, 4],
      [5, 9],
      [8, 11],
      [0, 1],
      [12, 14],
    ]) {
      const [start, end] = [hour(from ?? 0), hour(to ?? 0)];
      const query = { from: start, to: end, kind: 'ShipLaunched' };
      const found = (await audit(query, other.client)).map(({ at }) => Date.parse(at));
      const moments = order.map(hour).filter((at) => at >= start && at < end);
      expect(found).toEqual(moments.reverse().map((at) => Date.parse(at)));
    }
    const day = { from: '2026-01-10', to: '2026-01-10' };
    expect(await audit(day, other.client)).toHaveLength(order.length);
    expect(await audit({ from: '2026-01-11', to: '2026-01-12' }, other.client)).toEqual([]);
  });

  it.each([
    'from=yesterday',
    'to=2026-02-30',
    'actor=%20',
    "actor=a'b",
    'kind=nonsense',
    'object=a%20b',
    `q=${'x'.repeat(201)}`,
    'cursor=0',
    'cursor=-1',
    'cursor=oldest.7',
    'cursor=7&order=oldest',
    'order=best',
  ])('that does not exist is refused by its name: %s', async (query) => {
    const answer = await client.send<Problem>('GET', `${listAuditEntries.path}?${query}`);
    const [path] = query.split('=');
    expect([answer.status, answer.body.errors?.map((error) => error.path)]).toEqual([422, [path]]);
  });

  it('pages through all that it finds, once each, either way', async () => {
    const filters: Record<string, string>[] = [{}, { kind: 'agent' }, { q: 'agent' }];
    for (const filter of filters) {
      const query = new URLSearchParams({ ...filter, limit: '2' });
      // Work in the background may add an entry between two reads.
      await vi.waitFor(async () => {
        const expected = sequences(await audit(filter));
        const path = `${listAuditEntries.path}?${query}`;
        const pages = await pagesFrom<AuditEntry>(client, path);
        expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
        expect(sequences(pages.flat())).toEqual(expected);
        const oldest = await pagesFrom<AuditEntry>(client, `${path}&order=oldest`);
        expect(sequences(oldest.flat())).toEqual(expected.toReversed());
      });
    }
  });
});
