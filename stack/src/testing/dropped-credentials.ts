import { getToolHistory } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import { localServer } from '@tallyhand/test-kit/http-server';
import { expect } from 'vitest';
import { sharedProduct, type TestProduct } from './product.ts';

/** A secret that must not appear anywhere, and the forms that a script could make of it. */
export const canary = 'canary-3f9c-secret-of-the-shop';
export const canaryForms = [
  canary,
  [...canary].reverse().join(''),
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('hex'),
];

export type NotingServer = Awaited<ReturnType<typeof notingServer>>;

/** A server that records all requests; its /away redirects. */
async function notingServer(redirectsTo = '') {
  const seen: string[] = [];
  const server = await localServer((_, response, request) => {
    seen.push(JSON.stringify(request));
    if (request.url === '/away') response.writeHead(307, { location: redirectsTo });
    else response.setHeader('content-type', 'application/json');
    response.end('{"fine":true}');
  });
  return {
    ...server,
    seen,
    url: server.origin,
    get sawSecret() {
      return seen.some((text) => canaryForms.some((form) => text.includes(form)));
    },
  };
}

export type ShopAndAttacker = Awaited<ReturnType<typeof openShopAndAttacker>>;

/** The shared product, the server of a shop, and one that credentials must never reach. */
export async function openShopAndAttacker() {
  const attacker = await notingServer();
  const shop = await notingServer(attacker.url);
  const product = await sharedProduct();
  const { client: admin, user } = await registerOrganization(product.url);
  return {
    shop,
    attacker,
    product,
    admin,
    organizationId: user.organization.id,
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      await attacker[Symbol.asyncDispose]();
    },
  };
}

/** A tool whose credentials are gone. */
export const dropped = (reason: string, names = ['token']) => ({
  credentialNames: [],
  credentialsRequired: { reason, names },
});

/** The answer of such a tool. */
export const refused = {
  success: false,
  error: expect.stringContaining('must be entered again'),
};

/** How often the credentials of a tool were dropped. */
export async function dropsOf(client: ApiClient, id: string): Promise<number> {
  const { body } = await client.call<HistoryEntry[]>(getToolHistory, { params: { id } });
  return body.filter(({ kind }) => kind === 'credentials-dropped').length;
}

/** How many rows of a tool the vault has. */
export async function keptRows({ config }: TestProduct, id: string): Promise<number> {
  const pool = openPool(config.databaseUrl, 1);
  const text = 'select 1 from operational.tool_credentials where tool_id = $1';
  const { rowCount } = await pool.query(text, [id]);
  await pool.end();
  return rowCount ?? 0;
}
