import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  openTicket,
  sendContactMessage,
} from '@tallyhand/contracts/features/support/support.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { trustProxyOf } from '@tallyhand/service-kit/settings';
import {
  agentInput,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { sampleOf } from '@tallyhand/test-kit/cases';
import { describeIf, ONE_PROCESS } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audited } from '../testing/audit-pages.ts';
import { joinAs } from '../testing/members.ts';
import { isManyProcesses, type OwnProduct, startTestProduct } from '../testing/product.ts';

const publicUrl = 'https://tallyhand.example';
let product: OwnProduct;

beforeAll(async () => {
  product = await startTestProduct({ publicUrl, rateLimitScale: 1, trustProxy: true });
});
afterAll(() => product[Symbol.asyncDispose]());

const from = (ip: string) => ({ 'x-forwarded-for': ip });

async function register(ip: string) {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, username: 'Somebody', password: testPassword, organizationName: 'Harbour' };
  const client = apiClient(product.url);
  const answer = await client.call(registerUser, { body, headers: from(ip) });
  expect(answer.status).toBe(201);
  return { email, client, answer };
}

describe('on https', () => {
  it('the sign-in is kept to this very host and to https', async () => {
    const { answer, client } = await register('192.0.2.1');
    const cookies = answer.headers.getSetCookie();
    const cookie = cookies.find((each) => each.startsWith('__Host-tallyhand='));
    for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) {
      expect(cookie).toContain(`; ${attribute}`);
    }
    expect(cookie).not.toContain('Domain');
    expect(cookies.every((each) => each.includes('; Secure'))).toBe(true);
    expect(answer.headers.get('strict-transport-security')).toContain('max-age');
    expect((await client.call(getCurrentUser)).status).toBe(200);
    client.cookies.set('tallyhand', client.cookies.get('__Host-tallyhand') ?? '');
    client.cookies.delete('__Host-tallyhand');
    expect((await client.call(getCurrentUser)).status).toBe(401);
  });
});

describe('https', () => {
  it('is required of browsers', async () => {
    for (const path of ['/', '/api/user', '/api/nothing', '/healthz']) {
      const { headers } = await fetch(product.url + path);
      const strict = headers.get('strict-transport-security');
      expect([path, strict]).toEqual([path, 'max-age=31536000; includeSubDomains']);
    }
  });
});

describe('wrong passwords', () => {
  const signInAs = (email: string, password: string, ip: string) =>
    apiClient(product.url).call<Problem>(signIn, {
      body: { email, password },
      headers: from(ip),
    });

  it('are answered with 429 and Retry-After after the fifth; the owner gets in from elsewhere', async () => {
    const { email } = await register('192.0.2.2');
    for (let n = 0; n < 5; n += 1) {
      expect((await signInAs(email, 'wrong password', '192.0.2.3')).status).toBe(401);
    }
    const sixth = await signInAs(email.toUpperCase(), testPassword, '192.0.2.3');
    expect([sixth.status, sixth.body.code]).toEqual([429, 'too-many-attempts']);
    // This server sends no mail, so that a link comes from its operator only.
    expect(sixth.body.params).toMatchObject({ deviceLink: 'by-operator' });
    expect(sixth.body.detail).toContain('npm run device-link');
    const seconds = Number(sixth.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect((await signInAs(email, testPassword, '192.0.2.4')).status).toBe(200);
  });

  it('are counted when they arrive concurrently', async () => {
    const { email } = await register('192.0.2.5');
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => signInAs(email, `wrong password ${n}`, '192.0.2.6')),
    );
    expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(guesses.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });

  it('are answered in the same words whether or not the account exists', async () => {
    const { email } = await register('192.0.2.7');
    const known = await signInAs(email, 'wrong password', '192.0.2.8');
    const unknown = await signInAs(`x${email}`, 'wrong password', '192.0.2.8');
    const { correlationId: _, ...one } = known.body;
    const { correlationId: __, ...other } = unknown.body;
    expect([known.status, one]).toEqual([unknown.status, other]);
  });
});

describe('requests', () => {
  it('beyond the limit of one address are answered with 429 and Retry-After', async () => {
    const ip = '192.0.2.9';
    const body = { email: 'unknown@example.com', password: 'wrong password' };
    const send = () => apiClient(product.url).call<Problem>(signIn, { body, headers: from(ip) });
    const answers = await Promise.all(Array.from({ length: 61 }, send));
    const last = answers.find(({ body: { code } }) => code === 'too-many-requests');
    expect(last?.status).toBe(429);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await apiClient(product.url).call(signIn, { body, headers: from('192.0.2.10') });
    expect(other.status).toBe(401);
  });
});

describe('messages in chats', () => {
  async function member(ip: string) {
    const { client, answer } = await register(ip);
    const { agent } = await agentWithArticle(client);
    const hello = { params: { id: agent.id }, body: { message: 'Hello' } };
    const { user } = answer.body as { user: CurrentUser };
    return { client, userId: user.id, hello };
  }

  it('are limited for each member, for they are free', async () => {
    const { client, hello } = await member('192.0.2.20');
    const answers = await Promise.all(
      Array.from({ length: 31 }, () => client.call<Problem>(chatWithAgent, hello)),
    );
    const [refused, ...others] = answers.filter(({ status }) => status === 429);
    expect(others).toEqual([]);
    expect(refused?.body).toMatchObject({
      code: 'chat-limit-reached',
      params: { messagesMax: 30, per: 'minute' },
    });
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const { client: colleague } = await joinAs(client, product.url, 'Viewer');
    expect((await colleague.call(chatWithAgent, hello)).status).toBe(200);
  });

  it('are limited for a day too, and for no longer', async () => {
    const { client, userId, hello } = await member('192.0.2.21');
    expect((await client.call(chatWithAgent, hello)).status).toBe(200);
    const db = openPool(product.config.databaseUrl, 1);
    const saidBefore = (times: number, hours: number) =>
      db.query(
        `update operational.chat_limits set sent_at =
           array(select now() - make_interval(hours => $2) from generate_series(1, $1))
         where user_id = $3`,
        [times, hours, userId],
      );
    await saidBefore(500, 20);
    const refused = await client.call<Problem>(chatWithAgent, hello);
    expect([refused.status, refused.body.params?.per]).toEqual([429, 'day']);
    const hours = Number(refused.headers.get('retry-after')) / 3_600;
    expect(hours).toBeCloseTo(4, 1);
    await saidBefore(500, 25);
    expect((await client.call(chatWithAgent, hello)).status).toBe(200);
    const { rows } = await db.query(
      'select cardinality(sent_at) from operational.chat_limits where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([{ cardinality: 1 }]);
    await db.end();
  });
});

// Each process counts the calls of an address for itself.
describeIf(!isManyProcesses, ONE_PROCESS)('a flood of messages to support', () => {
  it('from one address stops after ten in an hour, for each call separately', async () => {
    const client = apiClient(product.url);
    const headers = from('192.0.2.30');
    const { example: contact } = sendContactMessage;
    const { example: ticket } = openTicket;
    const send = (message: string) =>
      client.call<Problem>(sendContactMessage, { body: { ...contact, message }, headers });
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) {
      statuses.push((await send(crypto.randomUUID())).status);
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
    const answer = await send(crypto.randomUUID());
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const opened = await client.call(openTicket, { body: ticket, headers });
    expect(opened.status).toBe(201);
  });
});

describe('a forged address', () => {
  const guessing = { email: 'forged@example.com', password: 'wrong password' };
  /** How many guesses of one account are let through; each claims another address. */
  async function guesses(url: string): Promise<number> {
    let letThrough = 0;
    for (let n = 1; n <= 7; n += 1) {
      const headers = {
        ...from(`203.0.113.${n}`),
        forwarded: `for=203.0.113.${n}`,
        'x-real-ip': `203.0.113.${n}`,
      };
      const { status } = await apiClient(url).call(signIn, { body: guessing, headers });
      if (status === 401) letThrough += 1;
      else expect(status).toBe(429);
    }
    return letThrough;
  }
  const seenFrom = async ({ url }: OwnProduct) => {
    const { client } = await registerOrganization(url);
    const agent = await client.call(createAgent, { body: agentInput, headers: from('192.0.2.99') });
    expect(agent.status).toBe(201);
    return (await audited(client, { kind: 'AgentCreated' })).map(({ address }) => address);
  };

  // Of no proxy, and of proxies elsewhere.
  it.each(sampleOf([undefined, '10.0.0.0/8, 192.168.0.1'], 2))(
    'changes nothing unless it comes from a trusted proxy: TRUST_PROXY=%s',
    async (TRUST_PROXY) => {
      const trustProxy = trustProxyOf({ TRUST_PROXY });
      await using direct = await startTestProduct({ rateLimitScale: 1, trustProxy });
      expect(await guesses(direct.url)).toBe(5);
      expect(await seenFrom(direct)).toEqual(['127.0.0.1']);
    },
  );

  it('counts if a trusted proxy reports it', async () => {
    expect(await guesses(product.url)).toBe(7);
    expect(await seenFrom(product)).toEqual(['192.0.2.99']);
  });

  it('that the caller put before the trusted proxy’s own changes nothing', async () => {
    const trusted = trustProxyOf({ TRUST_PROXY: '1' });
    await using behind = await startTestProduct({ rateLimitScale: 1, trustProxy: trusted });
    const { client } = await registerOrganization(behind.url);
    const headers = from('192.0.2.66, 198.51.100.4');
    await client.call(createAgent, { body: agentInput, headers });
    const [entry] = await audited(client, { kind: 'AgentCreated' });
    expect(entry?.address).toBe('198.51.100.4');
  });
});
