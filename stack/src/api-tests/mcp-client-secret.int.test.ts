import {
  authorizedTool,
  authorizeTool,
  changeTool,
  createTool,
  type Tool,
  type ToolAuthorization,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuthorizationServer,
  authorizationServer,
  followPages,
  protectedMcpServer,
} from '../testing/oauth-server.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const RETURN = 'http://127.0.0.1/tools/signed-in';
const authCredentials = { clientId: 'by-hand', clientSecret: 'a-secret-of-the-client-by-hand' };

let authority: AuthorizationServer;
let other: AuthorizationServer;
let server: Awaited<ReturnType<typeof protectedMcpServer>>;
let product: OwnProduct;
let client: ApiClient;

beforeAll(async () => {
  const { clientId: client_id, clientSecret: client_secret } = authCredentials;
  authority = await authorizationServer([{ client_id, client_secret, redirect_uris: [RETURN] }]);
  other = await authorizationServer();
  server = await protectedMcpServer([], authority);
  product = await startTestProduct({ allowPrivateHosts: '127.0.0.1' });
});
afterAll(async () => {
  for (const one of [product, server, authority, other]) await one[Symbol.asyncDispose]();
});
beforeEach(async () => {
  server.issuer = authority.issuer;
  ({ client } = await registerOrganization(product.url));
});

async function create() {
  const config = { baseUrl: server.url, authType: 'oauth' };
  const own = { name: 'Warehouse', description: 'Knows what is in stock', type: 'mcp' };
  const body = { ...own, config, authCredentials };
  return (await client.call<Tool>(createTool, { body })).body;
}
const enter = (id: string) =>
  client.call<Tool>(changeTool, { params: { id }, body: { authCredentials } });
const begin = async (id: string) =>
  (await client.call<ToolAuthorization & Problem>(authorizeTool, { params: { id } })).body;
/** Goes through the authorization page; returns what comes back from it. */
async function authorized(id: string) {
  const { authorizationUrl } = await begin(id);
  const { searchParams } = await followPages(authorizationUrl, RETURN);
  return Object.fromEntries(searchParams);
}

describe('a client secret that was entered by hand', () => {
  it('is for the authorization server of the first sign-in only', async () => {
    const { id } = await create();
    expect(await begin(id)).toMatchObject({ issuer: authority.issuer });
    server.issuer = other.issuer;
    expect(await begin(id)).toMatchObject({
      status: 409,
      code: 'tool-sign-in-failed',
      params: { cause: { code: 'sign-in', params: { reason: 'elsewhere' } } },
    });
    await enter(id);
    expect(await begin(id)).toMatchObject({ issuer: other.issuer });
  });

  it('is not bound by a sign-in that began before it was entered', async () => {
    const { id } = await create();
    const returned = await authorized(id);
    await enter(id);
    const completed = await client.call<Tool>(authorizedTool, { body: returned });
    expect(completed.body).toMatchObject({ id, credentialsRequired: null });
    server.issuer = other.issuer;
    expect(await begin(id)).toMatchObject({ issuer: other.issuer });
  });
});
