import {
  type Answering,
  calling,
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { taskStream } from '@tallyhand/command-service/features/tasks/task.decider';
import { backgroundContext } from '@tallyhand/command-service/kit/context';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useModel } from '../testing/connections.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';

let shop: Shop;
let peer: Peer;
let answering: Answering = (response) => sendJson(response, 500, {});
let product: TestProduct;
let party: ShopParty;

beforeAll(async () => {
  shop = await startShop();
  peer = await openAiPeer((...call) => answering(...call));
  product = await sharedProduct();
});
beforeEach(async () => {
  shop.seen.length = 0;
  party = await ShopParty.register(product.url, shop.address);
  await useModel(party.client, party.agentId, peer.baseURL);
});
afterAll(async () => {
  for (const one of [peer, shop]) await one[Symbol.asyncDispose]();
});

describe('a model whose call waits', () => {
  const said = completion({ answer: 'Refunded.', usedPassages: [], reasoning: 'Done.' });
  const getOrder = calling(['Orders_getOrder', { orderId: '7' }]);
  const refund = (orderId: string) => calling(['Orders_refundOrder', { orderId }]);
  /** The turns of the model. Each adds its own message and that of the tool to the first two. */
  const saying = (...turns: readonly ReturnType<typeof calling>[]) => {
    answering = (response, { body }) =>
      sendJson(response, 200, turns[body.messages.length / 2 - 1] ?? said);
  };

  it('is not asked again for what it has said', async () => {
    await party.tool();
    const from = peer.received.length;
    saying(getOrder, refund('7'));
    const task = await party.refunding('Refund order 7');
    await party.decide(task, { decision: 'approved' });
    const done = await party.ended(task.id);
    expect(done).toMatchObject({ status: 'success', output: 'Refunded.' });
    expect(shop.seen).toEqual(['GET /api/orders/7', 'POST /api/refunds/7']);
    // Three turns: two before the approval, one after it.
    expect(peer.received.length - from).toBe(3);
    expect(done.usage).toMatchObject([{ calls: 3 }]);
  });

  it('resumes after a decision in another process', async () => {
    await party.tool();
    saying(refund('7'));
    const task = await party.refunding('Refund order 7');
    await using other = await openKit(product.config);
    const data = {
      approvalId: task.approvals[0]?.id ?? '',
      decision: 'approved' as const,
      forRun: false,
      decidedBy: newId(),
      deadline: new Date(Date.now() + 60_000).toISOString(),
    };
    const command = { type: 'DecideApproval' as const, data };
    await other.kit.streams
      .of(taskStream)
      .send(task.id, command, backgroundContext('worker', null));
    expect(await party.ended(task.id)).toMatchObject({ status: 'success' });
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('gets further calls of the tool approved for the run', async () => {
    await party.tool();
    saying(refund('7'), refund('8'));
    const task = await party.refunding('Refund two orders');
    await party.decide(task, { decision: 'approved', forRun: true });
    expect(await party.ended(task.id)).toMatchObject({ status: 'success' });
    expect(shop.seen).toEqual(['POST /api/refunds/7', 'POST /api/refunds/8']);
  });

  it('reads why a call was refused, and continues', async () => {
    await party.tool();
    saying(refund('7'));
    const { body } = await party.run('Refund order 7', { type: 'query' });
    const task = await party.waiting(body.taskId);
    const from = peer.received.length;
    await party.decide(task, { decision: 'refused', note: 'Order 7 was paid in cash.' });
    expect(await party.ended(task.id)).toMatchObject({ status: 'success', creditCost: 1 });
    expect(JSON.stringify(peer.received.slice(from))).toContain('Order 7 was paid in cash.');
    expect(shop.seen).toEqual([]);
  });
});
