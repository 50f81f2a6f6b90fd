import {
  changeTool,
  createTool,
  deleteTool,
  restoreTool,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { type ApiClient, toolInput } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, shopConfig, shopDocument, startShop } from '../testing/shop.ts';

let shop: Shop;
let product: TestProduct;
let party: ShopParty;

beforeAll(async () => {
  shop = await startShop();
  product = await sharedProduct();
});
beforeEach(async () => {
  shop.seen.length = 0;
  party = await ShopParty.register(product.url, shop.address);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('policies of a tool', () => {
  const change = (by: ApiClient, { id }: Tool, body: object) =>
    by.call<Tool & Problem>(changeTool, { params: { id }, body });
  const allow = { changes: 'allow', operations: {} };

  it('ask before changes by default, and let an Admin allow them', async () => {
    const orders = await party.tool();
    expect(orders.policies).toEqual({ changes: 'ask', operations: {} });
    expect((await change(party.client, orders, { policies: allow })).body.policies).toEqual(allow);
    const { status, body } = await party.run('Refund order 7: refundOrder');
    expect([status, body]).toMatchObject([200, { success: true }]);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('hide an operation that is never called, and ask before a read that they name', async () => {
    const operations = { refundOrder: 'never', getOrder: 'ask' };
    await party.tool({ policies: { changes: 'ask', operations } });
    const { body: refused } = await party.run('Refund order 7: refundOrder');
    const task = await party.waiting(refused.taskId);
    expect(task.approvals).toMatchObject([{ operation: 'getOrder' }]);
  });

  it('go by the method of a call where the API has no document', async () => {
    const config = { ...shopConfig(shop.address), openapi: undefined };
    await party.tool({ config });
    const read = await party.run('GET /orders/7');
    expect([read.status, read.body]).toMatchObject([200, { success: true }]);
    const { approvals } = await party.waiting((await party.run('DELETE /orders/7')).body.taskId);
    expect(approvals).toMatchObject([{ operation: 'request' }]);
    await party.tool({ config, policies: { changes: 'never' } });
    const refused = await party.run('DELETE /orders/7');
    expect(refused.body).toMatchObject({ success: false });
    expect(refused.body).toMatchObject({ error: expect.stringContaining('do not allow') });
    expect(shop.seen).toEqual(['GET /api/orders/7']);
  });

  it('are loosened by Admins only', async () => {
    const orders = await party.tool();
    const { client: editor } = await joinAs(party.client, product.url, 'Editor');
    for (const policies of [allow, { changes: 'ask', operations: { refundOrder: 'allow' } }]) {
      expect(await change(editor, orders, { policies })).toMatchObject({
        status: 403,
        body: { code: 'policies-need-admin' },
      });
    }
    const config = shopConfig(shop.address);
    const body = { ...toolInput, config, authCredentials: {}, policies: allow };
    expect((await editor.call(createTool, { body })).status).toBe(403);
    const stricter = { changes: 'never', operations: {} };
    expect((await change(editor, orders, { policies: stricter })).status).toBe(200);
    expect((await change(editor, orders, { policies: { changes: 'ask' } })).status).toBe(403);
  });

  it('that allow changes hold for what an Admin saw', async () => {
    const orders = await party.tool();
    await change(party.client, orders, { policies: allow, name: 'Orders of the shop' });
    const { client: editor } = await joinAs(party.client, product.url, 'Editor');
    const config = shopConfig(`${shop.address}/v2`);
    expect(await change(editor, orders, { config })).toMatchObject({
      status: 403,
      body: { code: 'policies-need-admin' },
    });
    expect((await change(editor, orders, { description: 'Looks up orders' })).status).toBe(200);
    const asking = { config, policies: { changes: 'ask', operations: {} } };
    expect((await change(editor, orders, asking)).status).toBe(200);
    // The first version asked too, so it may be restored; the policies stay.
    const restored = await editor.call<Tool>(restoreTool, {
      params: { id: orders.id },
      body: { version: 1 },
    });
    expect(restored).toMatchObject({ status: 200, body: { policies: { changes: 'ask' } } });
  });

  it('hold for an older version that is restored after a deletion', async () => {
    const orders = await party.tool();
    const params = { id: orders.id };
    const config = shopConfig(`${shop.address}/v2`);
    await change(party.client, orders, { config });
    await change(party.client, orders, { policies: allow });
    const { client: editor } = await joinAs(party.client, product.url, 'Editor');
    await editor.call(deleteTool, { params });
    const restored = await editor.call<Problem>(restoreTool, { params, body: { version: 1 } });
    expect(restored).toMatchObject({ status: 403, body: { code: 'policies-need-admin' } });
    expect((await editor.call(restoreTool, { params, body: {} })).status).toBe(200);
  });

  it('are judged by the tool as it is when the change is stored', async () => {
    const orders = await party.tool();
    const { client: editor } = await joinAs(party.client, product.url, 'Editor');
    const document = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    shop.answering = async () => {
      asked.resolve();
      await document.promise;
      return shopDocument.replaceAll('refundOrder', 'getRefund');
    };
    const config = { ...shopConfig(shop.address), openapi: `${shop.address}/openapi.json` };
    const changing = change(editor, orders, { config, description: 'Another document' });
    await asked.promise;
    const changed = await change(party.client, orders, { policies: allow });
    expect(changed.status).toBe(200);
    document.resolve();
    expect(await changing).toMatchObject({ status: 403, body: { code: 'policies-need-admin' } });
  });

  it('that name operations keep the document that has them', async () => {
    const operations = { refundOrder: 'never' };
    const orders = await party.tool({ policies: { changes: 'ask', operations } });
    const { client: editor } = await joinAs(party.client, product.url, 'Editor');
    const config = shopConfig(shop.address);
    const renamed = { ...config, openapi: config.openapi.replaceAll('refundOrder', 'refund') };
    expect((await change(editor, orders, { config: renamed })).status).toBe(403);
    expect((await change(party.client, orders, { config: renamed })).status).toBe(200);
  });

  it('are refused where they say nothing, or more than there is', async () => {
    const wrong: [rest: object, path: string][] = [
      [{ policies: { changes: 'sometimes' } }, 'policies.changes'],
      [{ policies: {} }, 'policies.changes'],
      [{ policies: { changes: 'ask', operations: { a: 'maybe' } } }, 'policies.operations.a'],
      [{ type: 'browser', policies: { changes: 'ask' } }, 'policies.changes'],
      [{ policies: 'ask' }, 'policies'],
    ];
    const config = { baseUrl: '', authType: 'none', extras: { startUrl: 'https://example.com' } };
    for (const [rest, path] of wrong) {
      const body = { ...toolInput, config, authCredentials: {}, ...rest };
      const answer = await party.client.call<Problem>(createTool, { body });
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, path]);
    }
  });
});
