import { createAgent, listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  createApiKey,
  type NewApiKey,
  revokeApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { changePassword } from '@tallyhand/contracts/features/identity/account.endpoints';
import { signIn, signOut } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { changeMember, removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import {
  type ApiClient,
  agentInput,
  apiClient,
  cookieOf,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inDays } from '../testing/auditors.ts';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await sharedProduct();
  // The first message reports that changes before the start of the process are unknown.
  const { client } = await registerOrganization(product.url);
  await vi.waitUntil(async () => {
    // A stream has no first message when nothing has changed.
    await client.call(createAgent, { body: agentInput });
    return !(await firstOf(client)).includes('"all"');
  }, WAIT);
});

const WAIT = { interval: 500 };

/**
 * They are closed when a test ends. `fetch` closes a stream whose answer is unreferenced at the
 * next garbage collection, so the answers are kept.
 */
const opened: { readonly end: AbortController; readonly answer: Promise<Response> }[] = [];
afterEach(() => {
  for (const { end } of opened.splice(0)) end.abort();
});

function streamOf(client: ApiClient, headers: Record<string, string> = {}): Promise<Response> {
  const cookie = cookieOf(client);
  const end = new AbortController();
  const options = { headers: cookie ? { cookie, ...headers } : headers, signal: end.signal };
  const answer = fetch(`${product.url}/api/events`, options);
  opened.push({ end, answer });
  return answer;
}

async function openMany(
  client: ApiClient,
  count: number,
  headers: Record<string, string> = {},
): Promise<Response[]> {
  const streams = await Promise.all(Array.from({ length: count }, () => streamOf(client, headers)));
  expect(streams.map(({ status }) => status)).toEqual(Array(count).fill(200));
  return streams;
}

async function signedIn(email: string): Promise<ApiClient> {
  const client = apiClient(product.url);
  const { status } = await client.call(signIn, { body: { email, password: testPassword } });
  expect(status).toBe(200);
  return client;
}

/** Whether the stream ends as an answer does, not as a lost connection. */
async function ends(stream: Response): Promise<void> {
  expect(stream.status).toBe(200);
  let end: 'none' | 'whole' | 'cut off' = 'none';
  const read = async () => {
    for await (const _ of stream.body ?? []);
  };
  void read().then(
    () => {
      end = 'whole';
    },
    () => {
      end = 'cut off';
    },
  );
  await expect.poll(() => end).toBe('whole');
}

/** The first message of a new stream. */
async function firstOf(client: ApiClient, since = ''): Promise<string> {
  const leaving = new AbortController();
  const cookie = cookieOf(client);
  const answer = await fetch(`${product.url}/api/events${since}`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  let received = '';
  for await (const chunk of answer.body ?? []) {
    received += Buffer.from(chunk).toString();
    if (received.includes('data:')) break;
  }
  leaving.abort();
  return received;
}

describe('a stream of changes', () => {
  it('first names the changes since the page was read, to the organization only', async () => {
    const { client } = await registerOrganization(product.url);
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(201);
    // It is in the read models now, and every listener of the database has been notified.
    expect((await client.call<unknown[]>(listAgents)).body).toHaveLength(1);
    await vi.waitUntil(async () => (await firstOf(client)).includes('"agents"'), WAIT);
    const other = await registerOrganization(product.url);
    expect(await firstOf(other.client)).not.toContain('"agents"');
  });

  it('leaves out changes before a read, and reports when the position is missing', async () => {
    const { client } = await registerOrganization(product.url);
    expect((await client.call(createAgent, { body: agentInput })).status).toBe(201);
    const { headers } = await client.call(listAgents);
    const since = `?since=${headers.get('tallyhand-position')}`;
    // Both are in the same place of the same process; a change after the read is named.
    await vi.waitUntil(async () => (await firstOf(client)).includes('"agents"'), WAIT);
    expect((await client.call(createArticle, { body: createArticle.example })).status).toBe(201);
    await vi.waitUntil(async () => (await firstOf(client, since)).includes('"knowledge"'), WAIT);
    expect(await firstOf(client, since)).not.toContain('"agents"');
  });

  it('is refused with a position that is none', async () => {
    const { client } = await registerOrganization(product.url);
    for (const since of ['', 'C1', '12', 'C1-P1%00']) {
      const refused = await client.send('GET', `/api/events?since=${since}`);
      expect(refused.body, since).toMatchObject({ code: 'validation-failed' });
    }
  });

  it('is one of ten for a sign-in and of fifty for a member: others are not kept out', async () => {
    const { client } = await registerOrganization(product.url);
    const { client: viewer, user } = await joinAs(client, product.url, 'Viewer');
    const signIns = [viewer];
    for (let i = 0; i < 4; i += 1) signIns.push(await signedIn(user.email));
    const first = await openMany(viewer, 10);
    const refused = await streamOf(viewer);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      code: 'too-many-streams',
      params: { scope: 'sign-in' },
    });
    for (const each of signIns.slice(1)) await openMany(each, 10);
    const sixth = await streamOf(await signedIn(user.email));
    expect(sixth.status).toBe(429);
    expect(await sixth.json()).toMatchObject({ params: { scope: 'member' } });
    expect((await streamOf(client)).status).toBe(200);
    // One that is closed makes room.
    await first[0]?.body?.cancel();
    await vi.waitUntil(async () => (await streamOf(viewer)).status === 200, WAIT);
  });

  it("counts for the member who created its key, together with the member's sign-ins", async () => {
    const { client, user } = await registerOrganization(product.url);
    const { client: second } = await joinAs(client, product.url, 'Admin');
    await openMany(client, 10);
    await openMany(await signedIn(user.email), 10);
    const visitor = apiClient(product.url);
    const keyHeaders = async (maker: ApiClient) => {
      const { key } = await newKey(maker, 'Viewer', crypto.randomUUID());
      return { authorization: `Bearer ${key}` };
    };
    for (let i = 0; i < 3; i += 1) await openMany(visitor, 10, await keyHeaders(client));
    const full = await streamOf(visitor, await keyHeaders(client));
    expect(full.status).toBe(429);
    expect(await full.json()).toMatchObject({ params: { scope: 'member' } });
    // Another member, and a key that another member made, still have room.
    expect((await streamOf(second)).status).toBe(200);
    await openMany(visitor, 1, await keyHeaders(second));
  });

  it('is refused without a sign-in', async () => {
    expect((await apiClient(product.url).send('GET', '/api/events')).status).toBe(401);
  });
});

describe('a stream of changes ends soon after', () => {
  it('its sign-in was ended: signed out, from another place, or by a new password', async () => {
    const { client, user } = await registerOrganization(product.url);
    const [left, ended] = [await signedIn(user.email), await signedIn(user.email)];
    const streams = [await streamOf(left), await streamOf(ended)];
    await left.call(signOut);
    const newPassword = 'another horse battery';
    await client.call(changePassword, { body: { currentPassword: testPassword, newPassword } });
    await Promise.all(streams.map(ends));
    expect((await streamOf(client)).status).toBe(200);
  });

  it('its member got a role that may not open one, and goes on with another role', async () => {
    const { client } = await registerOrganization(product.url);
    const [demoted, promoted] = [
      await joinAs(client, product.url, 'Viewer'),
      await joinAs(client, product.url, 'Viewer'),
    ];
    const [ending, lasting] = [await streamOf(demoted.client), await streamOf(promoted.client)];
    await client.call(changeMember, { params: { id: promoted.user.id }, body: { role: 'Editor' } });
    const body = { role: 'Auditor', lastDay: inDays(30) };
    await client.call(changeMember, { params: { id: demoted.user.id }, body });
    await ends(ending);
    expect(await streamOf(demoted.client)).toMatchObject({ status: 403 });
    const { value } = (await lasting.body?.getReader().read()) ?? {};
    expect(value?.length).toBeGreaterThan(0);
  });

  it('its member was removed, with the keys that they made', async () => {
    const { client } = await registerOrganization(product.url);
    const viewer = await joinAs(client, product.url, 'Viewer');
    const second = await joinAs(client, product.url, 'Admin');
    const key = async (by: ApiClient) => {
      const body = { name: crypto.randomUUID(), role: 'Viewer' };
      return (await by.call<NewApiKey>(createApiKey, { body })).body;
    };
    const [own, theirs] = [await key(client), await key(second.client)];
    const byKey = ({ key }: NewApiKey) =>
      streamOf(apiClient(product.url), { authorization: `Bearer ${key}` });
    const streams = [await streamOf(viewer.client), await byKey(own), await byKey(theirs)];
    await client.call(removeMember, { params: { id: viewer.user.id } });
    await client.call(revokeApiKey, { params: { id: own.id } });
    await client.call(removeMember, { params: { id: second.user.id } });
    await Promise.all(streams.map(ends));
  });
});
