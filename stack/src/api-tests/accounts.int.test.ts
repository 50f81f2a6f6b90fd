import {
  changePassword,
  changeProfile,
  checkPassword,
  endOtherSignIns,
  endSignIn,
  listSignInHistory,
  listSignIns,
  type SignIn,
  type SignInRecord,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { listMembers } from '@tallyhand/contracts/features/team/team.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0';

let product: OwnProduct;
beforeAll(async () => {
  product = await startTestProduct({ trustProxy: true, rateLimitScale: 1 });
});
afterAll(() => product[Symbol.asyncDispose]());

/** Each from its own address: requests are limited by address. */
let addresses = 0;
const fromElsewhere = () => {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
};

async function signedIn(email: string, password = testPassword, headers = {}): Promise<ApiClient> {
  const client = apiClient(product.url);
  const body = { email, password };
  const answer = await client.call(signIn, { body, headers: { ...fromElsewhere(), ...headers } });
  expect(answer.status).toBe(200);
  return client;
}

const statusOf = async (client: ApiClient) => (await client.call(getCurrentUser)).status;
const signInsOf = async (client: ApiClient) => (await client.call<SignIn[]>(listSignIns)).body;

describe('the sign-ins of a member', () => {
  it('are listed with device and address, the current one first', async () => {
    const { client, user } = await registerOrganization(product.url);
    const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': '198.51.100.7' };
    await signedIn(user.email, testPassword, headers);
    const [own, other, ...more] = await signInsOf(client);
    expect(more).toEqual([]);
    expect(own?.isCurrent).toBe(true);
    expect(other).toMatchObject({
      isCurrent: false,
      device: { browser: 'Firefox', system: 'Linux' },
      address: '198.51.100.7',
    });
  });

  it('end one by one, at the next request', async () => {
    const { client, user } = await registerOrganization(product.url);
    const other = await signedIn(user.email);
    const id = (await signInsOf(client)).find(({ isCurrent }) => !isCurrent)?.id ?? '';
    expect((await client.call(endSignIn, { params: { id } })).status).toBe(204);
    expect(await statusOf(other)).toBe(401);
    expect(await statusOf(client)).toBe(200);
    expect((await client.call(endSignIn, { params: { id } })).status).toBe(404);
    expect(await signInsOf(client)).toHaveLength(1);
  });

  it('all end except the current one', async () => {
    const { client, user } = await registerOrganization(product.url);
    const others = [await signedIn(user.email), await signedIn(user.email)];
    expect((await client.call(endOtherSignIns)).status).toBe(204);
    for (const other of others) expect(await statusOf(other)).toBe(401);
    expect(await signInsOf(client)).toMatchObject([{ isCurrent: true }]);
  });

  // Each makes one call only: a used sign-in is recorded a moment later.
  it.each([
    [`last_seen_at = now() - interval '6 days 23 hours'`, 200],
    [`last_seen_at = now() - interval '7 days 1 minute'`, 401],
    [`expires_at = created_at + interval '30 days'`, 200],
    [`expires_at = now() - interval '1 second'`, 401],
  ])('end after seven days without use, and after thirty however used: %s', async (sql, status) => {
    const { client, user } = await registerOrganization(product.url);
    const pool = openPool(product.config.databaseUrl, 1);
    await pool.query(`update operational.sign_ins set ${sql} where user_id = $1`, [user.id]);
    await pool.end();
    expect(await statusOf(client)).toBe(status);
  });

  it('have a history, with those that failed', async () => {
    const { client, user } = await registerOrganization(product.url);
    const body = { email: user.email, password: 'a wrong password' };
    const headers = { 'x-forwarded-for': '198.51.100.8' };
    expect((await apiClient(product.url).call(signIn, { body, headers })).status).toBe(401);
    await (await signedIn(user.email)).call(signOut);
    const history = async () => (await client.call<SignInRecord[]>(listSignInHistory)).body;
    await expect
      .poll(async () => (await history()).map(({ kind }) => kind).toSorted())
      .toEqual(['failed', 'signed-in', 'signed-in', 'signed-out']);
    expect((await history()).find(({ kind }) => kind === 'failed')).toMatchObject({
      reason: 'wrong-credentials',
      address: '198.51.100.8',
      count: 1,
    });
    const stranger = await registerOrganization(product.url);
    const theirs = await stranger.client.call<SignInRecord[]>(listSignInHistory);
    expect(theirs.body.map(({ kind }) => kind)).toEqual(['signed-in']);
  });
});

describe('a name', () => {
  it('is another one everywhere at once', async () => {
    const { client } = await registerOrganization(product.url);
    const { status, body } = await client.call<CurrentUser>(changeProfile, {
      body: { username: 'Ada Lovelace' },
    });
    expect([status, body.username]).toEqual([200, 'Ada Lovelace']);
    expect((await client.call<CurrentUser>(getCurrentUser)).body.username).toBe('Ada Lovelace');
    const members = await client.call<{ username: string }[]>(listMembers);
    expect(members.body.map(({ username }) => username)).toEqual(['Ada Lovelace']);
  });
});

describe('a password', () => {
  const newPassword = 'another horse battery';

  it('is changed with the present one; all other sign-ins end', async () => {
    const { client, user } = await registerOrganization(product.url);
    const other = await signedIn(user.email);
    const body = { currentPassword: testPassword, newPassword };
    const answer = await client.call(changePassword, { body });
    expect([answer.status, answer.body]).toEqual([200, { warning: null }]);
    expect(await statusOf(client)).toBe(200);
    expect(await statusOf(other)).toBe(401);
    const old = { email: user.email, password: testPassword };
    expect((await apiClient(product.url).call(signIn, { body: old })).status).toBe(401);
    await signedIn(user.email, newPassword);
  });

  it('stays where the present one is wrong, which may be guessed five times', async () => {
    const { client, user } = await registerOrganization(product.url);
    const body = { currentPassword: 'wrong', newPassword };
    for (let i = 0; i < 5; i += 1) {
      const answer = await client.call<Problem>(changePassword, { body });
      expect([answer.status, answer.body.code]).toEqual([422, 'wrong-password']);
      expect(answer.body.errors).toMatchObject([{ path: 'currentPassword' }]);
    }
    const right = { currentPassword: testPassword, newPassword };
    const answer = await client.call<Problem>(changePassword, { body: right });
    expect([answer.status, answer.body.code]).toEqual([429, 'too-many-attempts']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await signedIn(user.email);
  });

  it('that was stolen causes a warning, and is accepted', async () => {
    const known = 'Qwertyuiop';
    const client = apiClient(product.url);
    expect((await client.call(checkPassword, { body: { password: known } })).body).toEqual({
      warning: 'common-password',
    });
    expect((await client.call(checkPassword, { body: { password: newPassword } })).body).toEqual({
      warning: null,
    });
    const email = `${crypto.randomUUID()}@example.com`;
    const registered = await client.call(registerUser, {
      body: { email, username: 'Ada', password: known, organizationName: 'Harbour' },
      headers: fromElsewhere(),
    });
    expect([registered.status, registered.body]).toMatchObject([
      201,
      { warning: 'common-password' },
    ]);
    const body = { currentPassword: known, newPassword: '12345678' };
    const changed = await client.call(changePassword, { body });
    expect([changed.status, changed.body]).toEqual([200, { warning: 'common-password' }]);
  });
});

describe('guesses by strangers', () => {
  it('do not throttle a browser that has signed in before', async () => {
    const { client, user } = await registerOrganization(product.url);
    await client.call(signOut);
    const guess = (from: ApiClient, password: string) =>
      from.call<Problem>(signIn, {
        body: { email: user.email, password },
        headers: fromElsewhere(),
      });
    const statuses = new Map<number, number>();
    for (let i = 0; i < 40; i += 1) {
      const { status } = await guess(apiClient(product.url), 'a wrong password');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [401, 20],
      [429, 20],
    ]);
    expect((await guess(apiClient(product.url), testPassword)).status).toBe(429);
    expect((await guess(client, testPassword)).status).toBe(200);
  });
});
