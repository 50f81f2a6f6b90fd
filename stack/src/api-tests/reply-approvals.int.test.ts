import {
  type Answering,
  calling,
  completion,
  openAiPeer,
  type Peer,
  StreamedCompletion,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  type ConversationCommand,
  conversationStream,
} from '@tallyhand/command-service/features/chat/conversation.decider';
import { backgroundContext } from '@tallyhand/command-service/kit/context';
import { changeAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  decideReplyApproval,
  deleteConversation,
  getConversation,
  type ReplyWaits,
  regenerateReply,
  stopReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  listNotifications,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  type DecideApprovalInput,
  listApprovals,
  type WaitingApproval,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { getTaskStats, type TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { changeTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useModel } from '../testing/connections.ts';
import { openStream } from '../testing/event-stream.ts';
import { joinAs } from '../testing/members.ts';
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
  saying(refund('7'));
});
afterAll(async () => {
  for (const one of [peer, shop]) await one[Symbol.asyncDispose]();
});

const said = completion({ answer: 'Refunded.', usedPassages: [], reasoning: 'Done.' });
const getOrder = calling(['Orders_getOrder', { orderId: '7' }]);
const refund = (orderId: string) => calling(['Orders_refundOrder', { orderId }]);

/** The turns of the model. Each adds its own message and that of the tool to the first two. */
const saying = (...turns: readonly ReturnType<typeof calling>[]) => {
  answering = (response, { body }) =>
    sendJson(response, 200, turns[body.messages.length / 2 - 1] ?? said);
};

const say = (message = 'Refund order 7', by = party.client) =>
  by.call<ReplyWaits & ChatReply & Problem>(chatWithAgent, {
    params: { id: party.agentId },
    body: { message },
  });

/** A message whose reply waits. */
async function waiting(by?: ApiClient): Promise<ReplyWaits> {
  const { status, body } = await say(undefined, by);
  expect(status).toBe(202);
  return body;
}

const conversation = async (id: string, by = party.client) =>
  (await by.call<ConversationDetail>(getConversation, { params: { id } })).body;

/** The conversation when nothing waits in it and no reply is written. */
async function answered(id: string, by?: ApiClient): Promise<ConversationDetail> {
  await expect.poll(async () => (await conversation(id, by)).replyPending).toBe(false);
  return conversation(id, by);
}

const decide = (
  { conversationId: id, approvalId }: Pick<ReplyWaits, 'conversationId' | 'approvalId'>,
  body: Partial<DecideApprovalInput>,
  by = party.client,
) => by.call<Problem>(decideReplyApproval, { params: { id }, body: { approvalId, ...body } });

const listed = async () => (await party.client.call<WaitingApproval[]>(listApprovals)).body;

describe('a reply whose call needs approval', () => {
  it('waits, and is written after the call was approved', async () => {
    const orders = await party.tool();
    saying(getOrder, refund('7'));
    const from = peer.received.length;
    const reply = await waiting();
    expect(shop.seen).toEqual(['GET /api/orders/7']);
    const detail = await conversation(reply.conversationId);
    expect(detail).toMatchObject({
      replyPending: true,
      approvals: [
        {
          id: reply.approvalId,
          toolId: orders.id,
          toolName: 'Orders',
          operation: 'refundOrder',
          arguments: '{"orderId":"7"}',
          decision: null,
        },
      ],
    });
    expect(await listed()).toMatchObject([
      {
        id: reply.approvalId,
        taskId: null,
        conversationId: reply.conversationId,
        agentId: party.agentId,
        operation: 'refundOrder',
        arguments: '{"orderId":"7"}',
        input: 'Refund order 7',
      },
    ]);
    const { body: stats } = await party.client.call<TaskStats>(getTaskStats);
    expect(stats).toMatchObject({ waiting: 0, waitingCalls: 1 });

    expect((await decide(reply, { decision: 'approved' })).status).toBe(200);
    const { approvals, messages } = await answered(reply.conversationId);
    expect(approvals).toEqual([]);
    expect(messages.at(-1)).toMatchObject({ role: 'agent', content: 'Refunded.', stopped: false });
    expect(messages.at(-1)?.toolCalls).toMatchObject([
      { ordinal: 1, input: 'getOrder {"orderId":"7"}' },
      { ordinal: 2, input: 'refundOrder {"orderId":"7"}' },
    ]);
    expect(shop.seen).toEqual(['GET /api/orders/7', 'POST /api/refunds/7']);
    // Three turns: two before the approval, one after it.
    expect(peer.received.length - from).toBe(3);
    expect(await listed()).toEqual([]);
  });

  it('is streamed until it waits', async () => {
    await party.tool();
    const call = { name: 'Orders_refundOrder', arguments: '{"orderId":"7"}' };
    answering = (response) =>
      new StreamedCompletion(response)
        .send({ tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: call }] })
        .end('tool_calls');
    await using stream = await openStream(product.url, party.client, chatWithAgent, {
      params: { id: party.agentId },
      body: { message: 'Refund order 7' },
    });
    const events = await stream.until('reply');
    expect(events.at(-1)?.data).toMatchObject({ approvalId: expect.any(String) });
  });

  it('makes the call with other arguments, if a person changes them', async () => {
    await party.tool();
    const reply = await waiting();
    // It is decided on once, and a repeated decision is a retry.
    const approved = { decision: 'approved', arguments: { orderId: '8' } } as const;
    expect((await decide(reply, approved)).status).toBe(200);
    expect((await decide(reply, approved)).status).toBe(200);
    const other = await decide(reply, { decision: 'approved' });
    expect(other.body).toMatchObject({ code: 'approval-decided' });
    const refused = await decide(reply, { decision: 'refused' });
    expect(refused.body).toMatchObject({ code: 'approval-decided' });
    const unknown = await decide({ ...reply, approvalId: newId() }, { decision: 'approved' });
    expect(unknown.status).toBe(404);
    const { messages } = await answered(reply.conversationId);
    expect(messages.at(-1)?.approvals).toMatchObject([
      {
        id: reply.approvalId,
        decision: 'approved',
        arguments: '{"orderId":"7"}',
        changedArguments: '{"orderId":"8"}',
        decidedBy: { name: expect.any(String) },
      },
    ]);
    expect(shop.seen).toEqual(['POST /api/refunds/8']);
  });

  it('tells the agent why a call was refused', async () => {
    await party.tool();
    const reply = await waiting();
    const from = peer.received.length;
    await decide(reply, { decision: 'refused', note: 'Order 7 was paid in cash.' });
    const { messages } = await answered(reply.conversationId);
    expect(messages.at(-1)).toMatchObject({
      role: 'agent',
      content: 'Refunded.',
      approvals: [{ decision: 'refused', note: 'Order 7 was paid in cash.' }],
    });
    expect(JSON.stringify(peer.received.slice(from))).toContain('Order 7 was paid in cash.');
    expect(shop.seen).toEqual([]);
  });

  it('waits for each call, unless the tool is approved for the reply', async () => {
    await party.tool();
    saying(refund('7'), refund('8'), refund('9'));
    const reply = await waiting();
    await decide(reply, { decision: 'approved' });
    await expect.poll(async () => (await listed())[0]?.arguments).toBe('{"orderId":"8"}');
    const [second] = await listed();
    await decide(
      { ...reply, approvalId: second?.id ?? '' },
      { decision: 'approved', forRun: true },
    );
    await answered(reply.conversationId);
    expect(shop.seen).toEqual([
      'POST /api/refunds/7',
      'POST /api/refunds/8',
      'POST /api/refunds/9',
    ]);
  });

  it('ends when the member stops it', async () => {
    await party.tool();
    const reply = await waiting();
    await party.client.call(stopReply, { params: { id: reply.conversationId } });
    expect(await conversation(reply.conversationId)).toMatchObject({
      replyPending: false,
      approvals: [{ id: reply.approvalId, decision: null }],
    });
    const late = await decide(reply, { decision: 'approved' });
    expect(late.body).toMatchObject({ code: 'approval-lapsed' });
    expect(await listed()).toEqual([]);
    const again = await party.client.call<ReplyWaits>(regenerateReply, {
      params: { id: reply.conversationId },
    });
    expect(again.status).toBe(202);
    expect(again.body.approvalId).not.toBe(reply.approvalId);
    expect(shop.seen).toEqual([]);
  });

  it('no longer waits once its conversation is deleted', async () => {
    await party.tool();
    const reply = await waiting();
    await party.client.call(deleteConversation, { params: { id: reply.conversationId } });
    expect(await listed()).toEqual([]);
    expect((await decide(reply, { decision: 'approved' })).status).toBe(404);
  });

  it('is tried again when the model fails after the call, and the call is made once', async () => {
    await party.tool();
    const reply = await waiting();
    // The engine itself does not ask again after this answer.
    answering = (response) => {
      answering = (next) => sendJson(next, 200, said);
      sendJson(response, 401, { error: { message: 'no' } });
    };
    await decide(reply, { decision: 'approved' });
    const { messages } = await answered(reply.conversationId);
    expect(messages.at(-1)).toMatchObject({ role: 'agent', content: 'Refunded.' });
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('shows the call of an attempt that was stopped, and the next attempt does not repeat it', async () => {
    await party.tool();
    const reply = await waiting();
    const asked = Promise.withResolvers<void>();
    answering = () => asked.resolve();
    await decide(reply, { decision: 'approved' });
    await asked.promise;
    const params = { id: reply.conversationId };
    await party.client.call(stopReply, { params });
    expect(await conversation(reply.conversationId)).toMatchObject({
      replyPending: false,
      approvals: [{ decision: 'approved' }],
      toolCalls: [{ input: 'refundOrder {"orderId":"7"}', success: true }],
    });
    saying(refund('7'));
    const again = await party.client.call<ChatReply>(regenerateReply, { params });
    expect(again).toMatchObject({ status: 200, body: { response: 'Refunded.' } });
    expect(again.body.toolCalls).toHaveLength(1);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('is not written by an agent that was paused meanwhile', async () => {
    await party.tool();
    const reply = await waiting();
    const paused = { params: { id: party.agentId }, body: { isActive: false } };
    await party.client.call(changeAgent, paused);
    await decide(reply, { decision: 'approved' });
    expect((await answered(reply.conversationId)).messages).toHaveLength(1);
    expect(shop.seen).toEqual([]);
  });

  it('asks again if the tool was changed meanwhile', async () => {
    const orders = await party.tool();
    const reply = await waiting();
    const body = { description: 'Orders of the shop, as of today' };
    await party.client.call(changeTool, { params: { id: orders.id }, body });
    await decide(reply, { decision: 'approved' });
    await expect
      .poll(async () => (await listed())[0]?.id ?? reply.approvalId)
      .not.toBe(reply.approvalId);
    expect(shop.seen).toEqual([]);
  });
});

describe('the reply of a member who may not edit agents', () => {
  it('waits for one who may, and only that member reads the conversation', async () => {
    await party.tool();
    const { client: viewer } = await joinAs(party.client, product.url, 'Viewer');
    const reply = await waiting(viewer);
    expect((await decide(reply, { decision: 'approved' }, viewer)).status).toBe(403);
    const hidden = await party.client.call(getConversation, {
      params: { id: reply.conversationId },
    });
    expect(hidden.status).toBe(404);
    const told = async () => {
      const { body } = await party.client.call<Notification[]>(listNotifications);
      return body.filter(({ kind }) => kind === 'approval-needed');
    };
    await expect.poll(told).toMatchObject([
      {
        object: { kind: 'conversation', id: reply.conversationId },
        params: { tool: 'Orders', operation: 'refundOrder' },
      },
    ]);
    const seenBy = async (by: ApiClient) => [
      (await by.call<WaitingApproval[]>(listApprovals)).body.length,
      (await by.call<TaskStats>(getTaskStats)).body.waitingCalls,
    ];
    const { client: other } = await joinAs(party.client, product.url, 'Viewer');
    expect(await seenBy(viewer)).toEqual([1, 1]);
    expect(await seenBy(other)).toEqual([0, 0]);
    await decide(reply, { decision: 'approved' });
    const { messages } = await answered(reply.conversationId, viewer);
    expect(messages.at(-1)).toMatchObject({ content: 'Refunded.' });
  });
});

describe('a product that is restarted', () => {
  type SendTo = (id: string, command: ConversationCommand) => Promise<unknown>;

  /** Changes conversations in a process that ends before it does anything else. */
  const cutOff = (steps: (send: SendTo) => Promise<void>) =>
    product.restart(async () => {
      await using opened = await openKit(product.config);
      const conversations = opened.kit.streams.of(conversationStream);
      const context = backgroundContext('worker', null);
      await steps((id, command) =>
        conversations.send(id, command, { ...context, commandId: newId() }),
      );
    });

  it('goes on with a reply that waits, and repeats no call', async () => {
    await party.tool();
    saying(getOrder, refund('7'));
    const reply = await waiting();
    await cutOff(async (send) => {
      const data = {
        approvalId: reply.approvalId,
        decision: 'approved' as const,
        forRun: false,
        decidedBy: newId(),
        now: new Date(),
        deadline: new Date(Date.now() + 60_000).toISOString(),
      };
      await send(reply.conversationId, { type: 'DecideApproval', data });
    });
    const { messages } = await answered(reply.conversationId);
    expect(messages.at(-1)).toMatchObject({ content: 'Refunded.' });
    expect(shop.seen).toEqual(['GET /api/orders/7', 'POST /api/refunds/7']);
  });
});
