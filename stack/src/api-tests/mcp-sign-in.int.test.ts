import type { PeerTool } from '@tallyhand/agent-runtime/mcp/fixtures/mcp-peer';
import {
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  authorizedTool,
  authorizeTool,
  changeTool,
  connectTool,
  createTool,
  getTool,
  getToolHistory,
  type McpOffer,
  type Tool,
  type ToolAuthorization,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinAs } from '../testing/members.ts';
import {
  type AuthorizationServer,
  authorizationServer,
  followPages,
  protectedMcpServer,
} from '../testing/oauth-server.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const RETURN = 'http://127.0.0.1/tools/signed-in';
const findStock: PeerTool = {
  name: 'find_stock',
  description: 'Says how many of an article are in stock.',
  annotations: { readOnlyHint: true },
};

const BY_HAND = { clientId: 'by-hand', clientSecret: 'a-secret-of-the-client-by-hand' };
const ANSWER = completion({ answer: 'There are 7.', usedPassages: [], reasoning: 'Looked up.' });
/** What the model answers next. */
const answers: ReturnType<typeof completion>[] = [];

let authority: AuthorizationServer;
let server: Awaited<ReturnType<typeof protectedMcpServer>>;
let model: Peer;
let product: OwnProduct;
let client: ApiClient;
let userId = '';

beforeAll(async () => {
  authority = await authorizationServer([
    {
      client_id: BY_HAND.clientId,
      client_secret: BY_HAND.clientSecret,
      redirect_uris: [RETURN],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ]);
  server = await protectedMcpServer([findStock], authority);
  model = await openAiPeer((response) => sendJson(response, 200, answers.shift() ?? ANSWER));
  product = await startTestProduct({
    allowPrivateHosts: '127.0.0.1',
    model: { openAiApiKey: 'sk-test-0123456789', openAiBaseUrl: model.baseURL },
  });
});
afterAll(async () => {
  for (const one of [product, model, server, authority]) await one[Symbol.asyncDispose]();
});
beforeEach(async () => {
  authority.lifetime = 3_600;
  authority.granted.length = 0;
  server.tokens.clear();
  server.refusedToken = '';
  server.isNamed = true;
  server.missingScope = '';
  const registered = await registerOrganization(product.url);
  client = registered.client;
  userId = registered.user.id;
});

const create = async (config: object = {}, rest: object = {}) =>
  (
    await client.call<Tool & Problem>(createTool, {
      body: {
        name: 'Warehouse',
        description: 'Knows what is in stock',
        type: 'mcp',
        config: { baseUrl: server.url, authType: 'oauth', ...config },
        ...rest,
      },
    })
  ).body;
const begin = async (id: string) =>
  (await client.call<ToolAuthorization & Problem>(authorizeTool, { params: { id } })).body;
const complete = async (body: object, by = client) =>
  (await by.call<Tool & Problem>(authorizedTool, { body })).body;
const connect = async (id: string) =>
  (await client.call<McpOffer>(connectTool, { params: { id } })).body;
const read = async (id: string) => (await client.call<Tool>(getTool, { params: { id } })).body;
const change = async (id: string, body: object) =>
  (await client.call<Tool & Problem>(changeTool, { params: { id }, body })).body;

/** Goes through the authorization page; returns what comes back from it. */
async function authorized(id: string) {
  const { authorizationUrl } = await begin(id);
  const returned = await followPages(authorizationUrl, RETURN);
  return Object.fromEntries(returned.searchParams) as { state: string; code: string; iss: string };
}

async function signedIn(): Promise<Tool> {
  const { id } = await create();
  return complete(await authorized(id));
}

/** The tool, whose agents may use what its server offers. */
async function withToolOn({ id, config }: Tool) {
  const [offered] = (await connect(id)).tools;
  const mcpTools = [{ name: 'find_stock', definition: offered?.definition, enabled: true }];
  return change(id, { config: { ...config, mcpTools } });
}

/** The token that the server has seen last. */
const token = () => [...server.tokens].at(-1) ?? '';

describe('signing in at an MCP server', () => {
  it('registers a client, asks the member, and stores tokens for this server', async () => {
    const { id } = await create();
    expect((await connect(id)).error).toContain('not signed in');
    const { authorizationUrl } = await begin(id);
    const { origin, searchParams } = new URL(authorizationUrl);
    expect(origin).toBe(authority.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: RETURN,
      resource: server.url,
      scope: 'stock offline_access',
    });
    const returned = await followPages(authorizationUrl, RETURN);
    const tool = await complete(Object.fromEntries(returned.searchParams));
    expect(tool).toMatchObject({
      credentialNames: ['accessToken', 'refreshToken'],
      credentialsRequired: null,
      version: 2,
    });
    expect(await connect(id)).toMatchObject({ success: true, tools: [{ name: 'find_stock' }] });
    expect(authority.granted).toEqual(['authorization_code']);
  });

  it('finds the authorization server by the well-known address too', async () => {
    server.isNamed = false;
    const { id } = await signedIn();
    expect(await connect(id)).toMatchObject({ success: true });
  });

  it('is in the history and the audit log with its member, and shows no secret anywhere', async () => {
    const { id } = await signedIn();
    await connect(id);
    const { body: history } = await client.call<unknown[]>(getToolHistory, { params: { id } });
    const { body: entries } = await client.call<AuditEntry[]>(listAuditEntries);
    expect(entries[0]).toMatchObject({
      type: 'ToolChanged',
      actor: { kind: 'member', id: userId },
    });
    const shown = JSON.stringify([await read(id), history, entries]);
    expect(shown).toContain('refreshToken');
    expect(authority.secrets.size).toBeGreaterThan(3);
    for (const secret of authority.secrets) expect(shown).not.toContain(secret);
  });

  it('lets tasks call the tools, with a token that is renewed', async () => {
    const tool = await withToolOn(await signedIn());
    const { agent } = await agentWithArticle(client);
    await client.call(assignResources, {
      params: { id: agent.id },
      body: { articles: [], tools: [tool.id], playbooks: [] },
    });
    server.refusedToken = token();
    answers.push(calling(['Warehouse_find_stock', { article: 'shoes' }]));
    const { body } = await client.call(executeTask, {
      params: { id: agent.id },
      body: { input: 'How many shoes are in stock?', type: 'tool_run' },
    });
    expect(body).toMatchObject({ success: true, output: 'There are 7.' });
    expect(JSON.stringify(model.received)).toContain('called find_stock');
    for (const secret of authority.secrets) {
      expect(JSON.stringify([body, model.received])).not.toContain(secret);
    }
    expect(authority.granted).toEqual(['authorization_code', 'refresh_token']);
  });

  it('masks the token in what the server answers', async () => {
    const echo: PeerTool = {
      ...findStock,
      run: () => ({ content: [{ type: 'text', text: `sent ${token()}` }] }),
    };
    server.peer.tools = [echo];
    const tool = await withToolOn(await signedIn());
    const input = '{"operation": "find_stock", "arguments": {}}';
    const params = { id: tool.id };
    const { body } = await client.call<ToolTestResult>(testTool, { params, body: { input } });
    server.peer.tools = [findStock];
    expect(body).toMatchObject({ success: true, output: 'sent [secret]' });
  });

  it('says so if the member denies access', async () => {
    const { id } = await create();
    const { authorizationUrl } = await begin(id);
    const returned = await followPages(authorizationUrl, RETURN, () => false);
    const { state, iss, error } = Object.fromEntries(returned.searchParams);
    expect(error).toBe('access_denied');
    expect(await complete({ state, iss, error })).toMatchObject({
      status: 409,
      code: 'tool-sign-in-failed',
      detail: 'Access was denied on the authorization page.',
      params: { cause: { code: 'sign-in', params: { reason: 'denied' } } },
    });
  });
});

describe('a state', () => {
  const unknown = expect.stringContaining('not known');

  it('counts once', async () => {
    const { id } = await create();
    const returned = await authorized(id);
    await complete(returned);
    expect(await complete(returned)).toMatchObject({ status: 409, detail: unknown });
  });

  it("is refused for another member and another organization, and stays its owner's", async () => {
    const { id } = await create();
    const returned = await authorized(id);
    const colleague = await joinAs(client, product.url, 'Admin');
    const stranger = await registerOrganization(product.url);
    for (const { client: other } of [colleague, stranger]) {
      expect(await complete(returned, other)).toMatchObject({ status: 409, detail: unknown });
    }
    expect(await complete(returned)).toMatchObject({ version: 2 });
  });

  it('is refused after the address has changed', async () => {
    const { id, config } = await create();
    const returned = await authorized(id);
    await change(id, { config: { ...config, baseUrl: `${server.url}/other` } });
    expect(await complete(returned)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('was changed since'),
    });
  });

  it('is refused after ten minutes', async () => {
    const { id } = await create();
    const returned = await authorized(id);
    const pool = openPool(product.config.databaseUrl, 1);
    await pool.query(
      `update operational.tool_sign_ins set begun_at = begun_at - interval '11 minutes'`,
    );
    await pool.end();
    expect(await complete(returned)).toMatchObject({
      detail: expect.stringContaining('more than 10 minutes ago'),
      params: { cause: { code: 'sign-in', params: { reason: 'old', minutes: 10 } } },
    });
  });

  it('is refused with the issuer of another server, without a code, and if it is invented', async () => {
    const { id } = await create();
    const { state, code } = await authorized(id);
    const iss = 'https://other.example.com';
    expect((await complete({ state, code, iss })).detail).toContain('another authorization server');
    const again = await authorized(id);
    expect((await complete({ state: again.state })).detail).toContain('no code');
    const third = await authorized(id);
    expect((await complete({ state: third.state, code: third.code })).detail).toContain(
      'another authorization server',
    );
    expect((await complete({ state: 'invented', code })).detail).toEqual(unknown);
    expect(authority.granted).toEqual([]);
  });
});

describe('the tokens of a sign-in', () => {
  it('are renewed before they expire', async () => {
    authority.lifetime = 1;
    const { id } = await signedIn();
    await vi.waitFor(async () => {
      expect(await connect(id)).toMatchObject({ success: true });
      expect(authority.granted).toContain('refresh_token');
    }, 10_000);
  });

  it('are renewed once for two calls, whose refresh token is replaced', async () => {
    const { id } = await signedIn();
    await connect(id);
    for (let round = 1; round <= 3; round += 1) {
      server.refusedToken = token();
      const calls = await Promise.all([connect(id), connect(id), connect(id)]);
      expect(calls.map(({ success, error }) => ({ success, error }))).toEqual(
        calls.map(() => ({ success: true, error: null })),
      );
      expect(authority.granted).toHaveLength(1 + round);
    }
  });

  it('end if the grant is revoked: the tool says that a member must sign in', async () => {
    const { id } = await signedIn();
    await connect(id);
    await authority.revoke(token());
    const { error } = await connect(id);
    expect(error).toContain('sign in again');
    await vi.waitFor(async () =>
      expect(await read(id)).toMatchObject({
        credentialNames: [],
        credentialsRequired: { reason: 'refused', names: ['accessToken', 'refreshToken'] },
      }),
    );
    expect((await connect(id)).error).toBe(error);
    await complete(await authorized(id));
    expect(await connect(id)).toMatchObject({ success: true });
  });

  it('lack scopes that a call needs: the next sign-in requests them', async () => {
    const { id } = await signedIn();
    server.missingScope = 'stock admin';
    expect((await connect(id)).error).toContain('more rights');
    expect(new URL((await begin(id)).authorizationUrl).searchParams.get('scope')).toBe(
      'stock admin offline_access',
    );
    server.missingScope = '';
    expect(await connect(id)).toMatchObject({ success: true });
  });

  it('are dropped with the address', async () => {
    const { id, config } = await signedIn();
    const moved = await change(id, { config: { ...config, baseUrl: `${server.url}/other` } });
    expect(moved).toMatchObject({
      credentialNames: [],
      credentialsRequired: { reason: 'changed' },
    });
    server.tokens.clear();
    expect((await connect(id)).error).toContain('sign in again');
    expect(server.tokens).toEqual(new Set());
  });
});

describe('the kind of access', () => {
  it.each([
    ['an API', { type: 'api' }, {}],
    ['a tool without an address', {}, { baseUrl: '' }],
  ])('is refused for %s', async (_, rest, config) => {
    expect(await create(config, rest)).toMatchObject({
      status: 422,
      errors: [{ path: 'config.authType' }],
    });
  });

  it('takes a client that was registered by hand, which stays after the sign-in has ended', async () => {
    const { id } = await create({}, { authCredentials: BY_HAND });
    const names = ['accessToken', 'clientId', 'clientSecret', 'refreshToken'];
    for (const round of [1, 2]) {
      expect((await begin(id)).authorizationUrl).toContain('client_id=by-hand');
      const tool = await complete(await authorized(id));
      expect(tool, `round ${round}`).toMatchObject({ credentialNames: names });
      expect(await connect(id)).toMatchObject({ success: true });
      await authority.revoke(token());
      expect((await connect(id)).error).toContain('sign in again');
      await vi.waitFor(async () =>
        expect(await read(id)).toMatchObject({
          credentialNames: ['clientId', 'clientSecret'],
          credentialsRequired: { reason: 'refused', names: ['accessToken', 'refreshToken'] },
        }),
      );
    }
  });

  it('takes no tokens, and no secret without its client', async () => {
    const refused = async (authCredentials: object) =>
      (await create({}, { authCredentials })).errors?.map(({ path }) => path);
    expect(await refused({ accessToken: 'one' })).toEqual(['authCredentials.accessToken']);
    expect(await refused({ clientSecret: 'one' })).toEqual(['authCredentials.clientId']);
  });
});
