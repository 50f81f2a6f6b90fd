import { endpoints } from '@tallyhand/contracts/endpoints';
import {
  type Agent,
  createAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  receiveStripeWebhook,
  receiveTestPaymentsWebhook,
} from '@tallyhand/contracts/features/credits/payments.endpoints';
import {
  getCurrentUser,
  registerUser,
  signIn,
  signOut,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { Page } from '@tallyhand/contracts/kernel/lists';
import { OpenAiError } from '@tallyhand/contracts/kernel/openai-error';
import { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiAnswer,
  type ApiClient,
  agentInput,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
let client: ApiClient;
let document: {
  readonly openapi: string;
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly security?: readonly unknown[] }>
  >;
};

beforeAll(async () => {
  product = await sharedProduct();
  ({ client } = await registerOrganization(product.url));
  document = (await client.send<typeof document>('GET', '/api/openapi.json')).body;
});

const newAddress = () => `${crypto.randomUUID()}@example.com`;

const registration = (email: string, password = testPassword) => ({
  body: { email, username: 'Somebody', password, organizationName: 'Organization' },
});

describe('a refusal', () => {
  const refused: [name: string, status: number, code: string, ask: () => Promise<ApiAnswer>][] = [
    ['not signed in', 401, 'not-signed-in', () => apiClient(product.url).call(listAgents)],
    ['unknown address', 404, 'not-found', () => client.send('GET', '/api/nothing')],
    ['unknown address to post to', 404, 'not-found', () => client.send('POST', '/api/nothing')],
    ['an unsupported method', 404, 'not-found', () => client.send('PATCH', '/api/agents')],
    ['address that is no text', 400, 'malformed-request', () => client.send('GET', '/api/a/%ff')],
    [
      'no JSON',
      400,
      'malformed-request',
      () => client.call(createAgent, { raw: '{', headers: { 'content-type': 'application/json' } }),
    ],
    [
      'another content type',
      415,
      'unsupported-media-type',
      () => client.call(createAgent, { raw: '{}', headers: { 'content-type': 'text/plain' } }),
    ],
    ['a page of none', 422, 'validation-failed', () => client.send('GET', '/api/agents?limit=0')],
    [
      'a page too long',
      422,
      'validation-failed',
      () => client.send('GET', '/api/tasks?limit=1001'),
    ],
    [
      'an invalid cursor',
      422,
      'validation-failed',
      () => client.send('GET', '/api/tasks?cursor=x'),
    ],
  ];

  it.each(refused)('for %s is a problem document with its code', async (_, status, code, ask) => {
    const answer = await ask();
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const problem = Problem.parse(answer.body);
    expect([answer.status, problem.status, problem.code]).toEqual([status, status, code]);
    expect(problem.correlationId).toBe(answer.headers.get('tallyhand-correlation-id'));
    expect(problem.detail.length).toBeGreaterThan(5);
    const scheme = status === 401 ? 'Bearer realm="Tallyhand"' : null;
    expect(answer.headers.get('www-authenticate')).toBe(scheme);
    if (status === 422) expect(problem.errors?.[0]?.path).toMatch(/^(limit|cursor)$/);
  });
});

/** The code of a problem, or of an error in the shape of OpenAI's API. */
function codeOf({ body }: ApiAnswer): string | null | undefined {
  const { data } = OpenAiError.safeParse(body);
  return data ? data.error.code : (body as Problem).code;
}

describe('a call that another site makes a browser send', () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://127.0.0.1', 'sec-fetch-site': 'cross-site' },
  ];
  /** Programs call these, and are believed by their signature. */
  const signed: readonly Endpoint[] = [receiveStripeWebhook, receiveTestPaymentsWebhook];
  const unsafe = endpoints.filter((each) => each.method !== 'GET' && !signed.includes(each));

  it.each(unsafe.map((each) => each.name))('is refused: %s', async (name) => {
    const endpoint = unsafe.find((each) => each.name === name);
    if (!endpoint) throw new Error(`There is no ${name}`);
    const params = { id: crypto.randomUUID() };
    for (const headers of foreign) {
      const body = endpoint.body ? {} : undefined;
      const answer = await client.call(endpoint, { params, body, headers });
      expect([answer.status, codeOf(answer)]).toEqual([403, 'foreign-origin']);
    }
    expect((await client.call(getCurrentUser)).status).toBe(200);
  });

  it("is accepted from the product's pages, and from programs without these headers", async () => {
    const own: Record<string, string>[] = [
      {},
      { origin: product.config.publicUrl },
      { origin: product.url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of own) {
      const answer = await client.call(createAgent, { body: agentInput, headers });
      expect(answer.status).toBe(201);
    }
  });
});

describe('a sign-in', () => {
  it('sets a cookie for this host alone that no script can read', async () => {
    const { headers } = await apiClient(product.url).call(registerUser, registration(newAddress()));
    const cookie = headers.getSetCookie().find((each) => each.startsWith('tallyhand='));
    expect(cookie).toMatch(/; Path=\//);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).not.toMatch(/Domain|Secure/);
  });

  it('is new each time, and dead at once after signing out, wherever its cookie is kept', async () => {
    const email = newAddress();
    const one = apiClient(product.url);
    await one.call(registerUser, registration(email));
    const first = one.cookies.get('tallyhand') ?? '';
    await one.call(signIn, { body: { email, password: testPassword } });
    const second = one.cookies.get('tallyhand') ?? '';
    expect(second).not.toBe(first);

    const copy = apiClient(product.url);
    copy.cookies.set('tallyhand', second);
    expect((await copy.call(getCurrentUser)).status).toBe(200);
    const out = await one.call(signOut);
    expect(out.status).toBe(204);
    expect(one.cookies.has('tallyhand')).toBe(false);
    expect((await copy.call(getCurrentUser)).status).toBe(401);
    expect((await copy.call(createAgent, { body: agentInput })).status).toBe(401);

    copy.cookies.set('tallyhand', first);
    expect((await copy.call(getCurrentUser)).status).toBe(200);
  });

  it('is not accepted from a forged cookie', async () => {
    const { client: other } = await registerOrganization(product.url);
    const [header, , signature] = (other.cookies.get('tallyhand') ?? '').split('.');
    const payload = Buffer.from(JSON.stringify({ sub: crypto.randomUUID(), aud: 'sign-in' }));
    for (const forged of [
      `${header}.${payload.toString('base64url')}.${signature}`,
      'x',
      'a.b.c',
    ]) {
      other.cookies.set('tallyhand', forged);
      expect((await other.call(getCurrentUser)).status).toBe(401);
      expect((await other.call(createAgent, { body: agentInput })).status).toBe(401);
    }
  });
});

describe('an email address', () => {
  it('belongs to one account in every spelling, also when several register at once', async () => {
    const name = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const email = n % 2 ? `${name}@example.com` : ` ${name.toUpperCase()}@EXAMPLE.com`;
        const options = registration(email, `${testPassword} ${n}`);
        return apiClient(product.url).call<Problem>(registerUser, options);
      }),
    );
    const won = answers.findIndex(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const lost = answers.filter(({ status }) => status !== 201);
    expect(new Set(lost.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['409 email-taken']),
    );
    const opens = (n: number) => {
      const body = { email: `${name}@example.com`, password: `${testPassword} ${n}` };
      return apiClient(product.url).call(signIn, { body });
    };
    expect((await opens(won)).status).toBe(200);
    expect((await opens(won ? 0 : 1)).status).toBe(401);
  });
});

describe('lists', () => {
  const pagedLists = endpoints.filter(({ query, path }) => query === Page && !path.includes('{'));

  it('page by key, each row once, also while rows are added', async () => {
    const { client: own } = await registerOrganization(product.url);
    const names = Array.from({ length: 7 }, (_, n) => `Agent ${n}`);
    for (const name of names) await own.call(createAgent, { body: { ...agentInput, name } });

    const seen: string[] = [];
    let path: string | undefined = '/api/agents?limit=3';
    for (let pages = 0; path && pages < 5; pages += 1) {
      const { status, body, headers }: ApiAnswer<Agent[]> = await own.send('GET', path);
      expect(status).toBe(200);
      seen.push(...body.map(({ name }) => name));
      if (pages === 0) await own.call(createAgent, { body: { ...agentInput, name: 'Late' } });
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(names.toReversed());
  });

  it.each(pagedLists.map(({ name }) => name))(
    '%s answers a bare list, and leads on from a full page alone',
    async (name) => {
      const endpoint = endpoints.find((each) => each.name === name);
      if (!endpoint) throw new Error(`There is no ${name}`);
      const whole = await client.call<unknown[]>(endpoint);
      expect(whole.status).toBe(200);
      expect(whole.body).toBeInstanceOf(Array);
      expect(whole.headers.get('link')).toBeNull();
      if (whole.body.length === 0) return;
      const one = await client.call<unknown[]>(endpoint, { query: { limit: '1' } });
      expect(one.body).toEqual(whole.body.slice(0, 1));
      expect(one.headers.get('link')).toContain('rel="next"');
    },
  );
});

describe.each(endpoints.map(({ name }) => name))('%s', (name) => {
  it('requires a sign-in where declared, and the API document says the same', async () => {
    const endpoint = endpoints.find((each) => each.name === name) as Endpoint;
    const params = { id: crypto.randomUUID(), token: 'token', hash: 'a'.repeat(64) };
    const options = endpoint.body ? { params, body: {} } : { params };
    const answer = await apiClient(product.url).call(endpoint, options);
    const asks = answer.status === 401 && codeOf(answer) === 'not-signed-in';
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    const isDescribedOpen = operation?.security?.length === 0;
    expect({ asks, isDescribedOpen }).toEqual({
      asks: !endpoint.isPublic,
      isDescribedOpen: endpoint.isPublic,
    });
  });
});

describe('the API document', () => {
  it('has every call of the contracts', () => {
    expect(document.openapi).toMatch(/^3\.1/);
    for (const { name, path, method } of endpoints) {
      expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(name);
    }
  });
});
