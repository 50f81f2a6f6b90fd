import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import {
  listNotifications,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  getTool,
  restoreTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  canary,
  dropped,
  dropsOf,
  keptRows,
  type NotingServer,
  openShopAndAttacker,
  refused,
  type ShopAndAttacker,
} from '../testing/dropped-credentials.ts';
import { appendPast } from '../testing/past-sessions.ts';
import type { TestProduct } from '../testing/product.ts';

let opened: ShopAndAttacker;
let product: TestProduct;
let admin: ApiClient;
let organizationId: string;
let shop: NotingServer;
let attacker: NotingServer;

beforeAll(async () => {
  opened = await openShopAndAttacker();
  ({ product, admin, organizationId, shop, attacker } = opened);
});
afterAll(() => opened?.[Symbol.asyncDispose]());

const restore = (id: string) => admin.call<Tool>(restoreTool, { params: { id }, body: {} });
const run = async (id: string) =>
  (await admin.call<ToolTestResult>(testTool, { params: { id }, body: { input: '/orders' } })).body;

describe('credentials from before they were bound', () => {
  /** Rewrites a tool's rows as the previous release stored them. */
  async function unbind(toolId: string, credentialsId: string, credentials: object) {
    const pool = openPool(product.config.databaseUrl, 1);
    const box = sealedBox(product.config.masterKey);
    const context = `tool-credentials ${toolId} ${credentialsId}`;
    const sealed = box.seal(Buffer.from(JSON.stringify(credentials)), context);
    await pool.query(
      `insert into operational.tool_credentials
         (credentials_id, tool_id, organization_id, sealed, bound_to)
       values ($1, $2, $3, $4, null)
       on conflict (credentials_id) do update set sealed = excluded.sealed, bound_to = null`,
      [credentialsId, toolId, organizationId, sealed],
    );
    await pool.end();
  }

  /** A tool as the release before stored it: its events, and its credentials without a binding. */
  async function oldTool(first: object, ...later: object[]): Promise<string> {
    const [toolId, credentialsId] = [newId(), newId()];
    const own = { toolId, organizationId };
    const credentials = { id: credentialsId, names: ['token'] };
    const about = { name: 'An old tool', description: 'From the release before', toolType: 'api' };
    const created = { ...own, version: 1, ...about, credentials, ...first };
    await appendPast(product.config, `tool-${toolId}`, organizationId, [
      { type: 'ToolCreated', data: created },
      ...later.map((change, at) => ({
        type: 'ToolChanged',
        data: { ...own, version: at + 2, ...change },
      })),
    ]);
    await unbind(toolId, credentialsId, { token: canary });
    return toolId;
  }
  const config = (baseUrl: string) => ({
    config: { baseUrl: `${baseUrl}/api`, authType: 'bearer', extras: {} },
  });
  const read = async (id: string) => (await admin.call<Tool>(getTool, { params: { id } })).body;

  it('stay where the tool is the same, and are dropped where it has changed', async () => {
    const same = await oldTool(config(shop.url), { name: 'Another name' });
    const moved = await oldTool(config(shop.url), config(attacker.url));
    const back = await oldTool(config(shop.url), config(attacker.url), config(shop.url));
    const script = { extras: { script: 'return secrets.token;' } };
    const custom = await oldTool({
      toolType: 'custom',
      config: { baseUrl: '', authType: 'none', ...script },
    });
    const gone = await oldTool(config(shop.url), config(attacker.url));
    await appendPast(product.config, `tool-${gone}`, organizationId, [
      { type: 'ToolDeleted', data: { toolId: gone, organizationId } },
    ]);
    await product.restart();
    for (const id of [moved, back, custom]) {
      await expect.poll(() => read(id)).toMatchObject(dropped('upgraded'));
      expect(await run(id)).toMatchObject(refused);
      expect(await keptRows(product, id)).toBe(0);
    }
    await expect.poll(() => keptRows(product, gone)).toBe(0);
    expect((await restore(gone)).body).toMatchObject(dropped('upgraded'));
    expect(await read(same)).toMatchObject({ credentialNames: ['token'] });
    expect(await run(same)).toMatchObject({ success: true });
    expect(attacker.sawSecret).toBe(false);

    const notified = async () => {
      const { body } = await admin.call<Notification[]>(listNotifications);
      return body
        .filter(({ kind }) => kind === 'tool-credentials-dropped')
        .map(({ object, params }) => [object.id, params.reason, params.toolName]);
    };
    await expect.poll(notified).toContainEqual([moved, 'upgraded', 'An old tool']);
    const query = { kind: 'ToolCredentialsDropped' };
    const entries = await admin.call(listAuditEntries, { query });
    expect(JSON.stringify(entries.body)).toContain(custom);

    // A process that died after the event, before the row was gone.
    await unbind(moved, newId(), { token: canary });
    await product.restart();
    await expect.poll(() => keptRows(product, moved)).toBe(0);
    expect(await dropsOf(admin, moved)).toBe(1);
    expect(await run(same)).toMatchObject({ success: true });
  });

  it('are checked when they are used before the upgrade has reached them', async () => {
    const same = await oldTool(config(shop.url));
    const moved = await oldTool(config(shop.url), config(attacker.url));
    expect(await run(same)).toMatchObject({ success: true });
    expect(await run(moved)).toMatchObject(refused);
    expect(attacker.sawSecret).toBe(false);
    await expect.poll(() => dropsOf(admin, moved)).toBe(1);
  });
});
