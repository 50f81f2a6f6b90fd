import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  listNotifications,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  handBackSession,
  takeOverSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { changeTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AskingSession, type Turn, WrittenPlanner } from '../testing/asking-sessions.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';

// Ends what hangs: a test goes through several sessions.
vi.setConfig({ testTimeout: 120_000 });

const planner = new WrittenPlanner();
let shop: Shop;
let product: OwnProduct;
let party: ShopParty;
let toolId: string;

const start = (settings: object = {}) =>
  startTestProduct({ allowPrivateHosts: shop.host, ...settings }, { browser: { planner } });

beforeAll(async () => {
  shop = await startShop();
  product = await start();
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

async function prepare(url: string) {
  shop.seen.length = 0;
  party = await ShopParty.register(url, shop.address);
  toolId = (await party.tool()).id;
}
beforeEach(() => prepare(product.url));

const refunds =
  (orderId: string): Turn =>
  () => ({ type: 'use_tool', toolId, operation: 'refundOrder', args: { orderId } });

/** A session whose agent makes these moves, and then finishes. */
function run(...turns: readonly Turn[]) {
  planner.turns = turns;
  return AskingSession.start(party.client, party.agentId);
}

/** Without extensions, which depend on how long a step takes. */
const ledgerKinds = async () =>
  (await party.client.call<LedgerEntry[]>(listLedgerEntries)).body
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'extended')
    .toReversed();

const decided = async (session: AskingSession, body: Parameters<AskingSession['decide']>[0]) =>
  expect((await session.decide(body)).status).toBe(200);

describe('a call in a session that may change something', () => {
  it('waits for a person, with its browser open, and is made once it is approved', async () => {
    const session = await run(refunds('7'));
    const waiting = await session.waiting();
    expect(waiting.session).toMatchObject({ status: 'running', endReason: null });
    expect(waiting.approvals).toMatchObject([
      {
        id: waiting.session.approvalId,
        toolId,
        toolVersion: 1,
        toolName: 'Orders',
        operation: 'refundOrder',
        arguments: '{"orderId":"7"}',
        decision: null,
        decidedBy: null,
      },
    ]);
    expect(shop.seen).toEqual([]);
    // Those who may edit agents are notified, and nobody else decides.
    const { client: viewer } = await joinAs(party.client, product.url, 'Viewer');
    expect((await session.decide({ decision: 'approved' }, viewer)).status).toBe(403);
    const { client: stranger } = await registerOrganization(product.url);
    expect((await session.decide({ decision: 'approved' }, stranger)).status).toBe(404);
    const { body } = await party.client.call<Notification[]>(listNotifications);
    expect(body.find(({ kind }) => kind === 'approval-needed')).toMatchObject({
      params: { tool: 'Orders', operation: 'refundOrder' },
      object: { kind: 'session', id: session.id },
    });

    // It counts once: a repeated decision is a retry.
    await decided(session, { decision: 'approved' });
    await decided(session, { decision: 'approved' });
    const other = await session.decide({ decision: 'refused' });
    expect(other).toMatchObject({ status: 409, body: { code: 'approval-decided' } });
    const { session: done, steps, approvals } = await session.ended();
    expect(done).toMatchObject({
      endReason: 'goal-reached',
      totalCreditsUsed: 2,
      approvalId: null,
    });
    expect(steps[0]).toMatchObject({ action: 'use_tool', success: true });
    expect(approvals).toMatchObject([{ decision: 'approved', forRun: false }]);
    expect(approvals[0]?.decidedBy?.name).toBeTruthy();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
    const charged = ['granted', 'reserved', 'charged', 'reserved', 'charged'];
    await expect.poll(ledgerKinds).toEqual(charged);
    const unknown = { approvalId: crypto.randomUUID(), decision: 'approved' } as const;
    expect((await session.decide(unknown)).status).toBe(404);
  });

  it('waits each time: it is made with other arguments, or not after a refusal, which the agent reads', async () => {
    const { client: manager } = await joinAs(party.client, product.url, 'AgentManager');
    const session = await run(refunds('7'), refunds('7'), refunds('7'));
    await session.waiting();
    const changed = { decision: 'approved', arguments: { orderId: '8' } } as const;
    expect((await session.decide(changed, manager)).status).toBe(200);
    await session.waiting(2);
    await decided(session, { decision: 'approved' });
    await session.waiting(3);
    await decided(session, { decision: 'refused', note: 'Ask the customer first.' });
    const { approvals, session: done, steps } = await session.ended();
    expect(approvals[0]).toMatchObject({
      arguments: '{"orderId":"7"}',
      changedArguments: '{"orderId":"8"}',
    });
    expect(steps.map(({ success }) => success)).toEqual([true, true, false, true]);
    expect(steps[2]?.output).toBe('A person refused this call: Ask the customer first.');
    expect([done.endReason, done.totalCreditsUsed]).toEqual(['goal-reached', 3]);
    expect(shop.seen).toEqual(['POST /api/refunds/8', 'POST /api/refunds/7']);
    const charged = ['reserved', 'charged'];
    const kinds = ['granted', ...charged, ...charged, 'reserved', 'released', ...charged];
    await expect.poll(ledgerKinds).toEqual(kinds);
  });

  it('needs no approval after one for the whole session', async () => {
    const session = await run(refunds('7'), refunds('8'));
    await session.waiting();
    await decided(session, { decision: 'approved', forRun: true });
    expect((await session.ended()).approvals).toHaveLength(1);
    expect(shop.seen).toEqual(['POST /api/refunds/7', 'POST /api/refunds/8']);
  });

  it('survives a restart of the command service while it waits, and asks again after its tool was changed', async () => {
    const session = await run(refunds('7'));
    await session.waiting();
    await product.restart();
    const body = { description: 'Refunds orders of the shop' };
    await party.client.call(changeTool, { params: { id: toolId }, body });
    const { approvals } = await session.waiting(2);
    expect(approvals.map(({ toolVersion }) => toolVersion)).toEqual([1, 2]);
    const earlier = await session.decide({
      approvalId: approvals[0]?.id ?? '',
      decision: 'approved',
    });
    expect(earlier).toMatchObject({ status: 409, body: { code: 'approval-lapsed' } });
    expect(shop.seen).toEqual([]);
    await decided(session, { decision: 'approved' });
    const { approvals: both, session: done } = await session.ended();
    expect([both.length, done.endReason]).toEqual([2, 'goal-reached']);
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });
});

describe('a session that waits', () => {
  it('is terminated for nothing, and nobody decides on it any more', async () => {
    const session = await run(refunds('7'));
    await session.waiting();
    await party.client.call(terminateSession, { params: { id: session.id } });
    expect((await session.ended()).session).toMatchObject({
      status: 'terminated',
      approvalId: null,
      totalCreditsUsed: 0,
    });
    const late = await session.decide({ decision: 'approved' });
    expect(late).toMatchObject({ status: 409, body: { code: 'session-ended' } });
    expect(shop.seen).toEqual([]);
    await expect.poll(ledgerKinds).toEqual(['granted', 'reserved', 'released']);
  });

  it('is taken over, and the agent asks again when it is handed back', async () => {
    const session = await run(
      () => ({ type: 'scroll', direction: 'down' }),
      refunds('7'),
      refunds('7'),
    );
    await session.waiting();
    const params = { id: session.id };
    await party.client.call(takeOverSession, { params });
    expect((await session.detail()).session.approvalId).toBeNull();
    const late = await session.decide({ decision: 'approved' });
    expect(late).toMatchObject({ status: 409, body: { code: 'approval-lapsed' } });
    await expect.poll(async () => (await session.detail()).steps.length).toBe(2);
    expect((await session.detail()).steps[1]).toMatchObject({ interrupted: true, creditsUsed: 0 });
    await party.client.call(handBackSession, { params });
    await session.waiting(2);
    await decided(session, { decision: 'approved' });
    await session.ended();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });
});

describe('a call that nobody decides on', () => {
  it('counts as refused after a while, and the session continues', async () => {
    await using hasty = await start({ sessionApprovalMs: 500 });
    await prepare(hasty.url);
    const session = await run(refunds('7'));
    const { approvals, steps, session: done } = await session.ended();
    expect(approvals).toMatchObject([{ decision: 'refused', decidedBy: null, note: null }]);
    expect(steps[0]).toMatchObject({ success: false, output: 'No decision was made in time.' });
    expect(done.endReason).toBe('goal-reached');
    expect(shop.seen).toEqual([]);
  });
});
