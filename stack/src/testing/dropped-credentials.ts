import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getToolHistory } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
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

/** A server that records all requests; its /away redirects. */
export class NotingServer {
  readonly seen: string[] = [];
  url = '';
  redirectsTo = '';
  readonly #server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      this.seen.push(JSON.stringify([request.method, request.url, request.headers, body]));
      if (request.url === '/away') response.writeHead(307, { location: this.redirectsTo });
      else response.setHeader('content-type', 'application/json');
      response.end('{"fine":true}');
    });
  });
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
  get sawSecret() {
    return this.seen.some((text) => canaryForms.some((form) => text.includes(form)));
  }
}

export type ShopAndAttacker = Awaited<ReturnType<typeof openShopAndAttacker>>;

/** The shared product, the server of a shop, and one that credentials must never reach. */
export async function openShopAndAttacker() {
  const [shop, attacker] = [new NotingServer(), new NotingServer()];
  await shop.open();
  await attacker.open();
  shop.redirectsTo = attacker.url;
  const product = await sharedProduct();
  const { client: admin, user } = await registerOrganization(product.url);
  return {
    shop,
    attacker,
    product,
    admin,
    organizationId: user.organization.id,
    [Symbol.dispose]() {
      shop.close();
      attacker.close();
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
