import { openKit } from '@tallyhand/command-service/app/open-kit';
import {
  type TaskCommand,
  taskStream,
} from '@tallyhand/command-service/features/tasks/task.decider';
import { backgroundContext } from '@tallyhand/command-service/kit/context';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  listNotifications,
  type Notification,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import {
  createPlaybook,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  listApprovals,
  type WaitingApproval,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import {
  cancelTask,
  getTaskStats,
  type TaskDetail,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { changeTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { playbookInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';

let shop: Shop;
let product: OwnProduct;
let party: ShopParty;

beforeAll(async () => {
  shop = await startShop();
  const sweepTimes = { everyMs: 100, graceMs: 300 };
  product = await startTestProduct({ allowPrivateHosts: shop.host, sweepTimes });
});
beforeEach(async () => {
  shop.seen.length = 0;
  party = await ShopParty.register(product.url, shop.address);
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

/** Another organization, with its tool. */
async function otherParty() {
  const other = await ShopParty.register(product.url, shop.address);
  await other.tool();
  return other;
}

const entries = async (of = party) =>
  (await of.client.call<LedgerEntry[]>(listLedgerEntries)).body.toReversed();
/** An extension follows the approval's request a moment later. */
const ledgerKinds = async (of = party) =>
  (await entries(of)).map(({ kind }) => kind).filter((kind) => kind !== 'extended');

const asked = ({ approvals }: Pick<TaskDetail, 'approvals'>) => approvals.at(-1)?.id ?? '';

type SendToTask = (taskId: string, command: TaskCommand) => Promise<unknown>;

/** Changes tasks in a process that ends before it does anything else. */
async function cutOff(steps: (send: SendToTask) => Promise<void>) {
  await product.restart(async () => {
    await using opened = await openKit(product.config);
    const tasks = opened.kit.streams.of(taskStream);
    const context = backgroundContext('worker', null);
    await steps((taskId, command) =>
      tasks.send(taskId, command, { ...context, commandId: newId() }),
    );
  });
}

describe('a call that may change something', () => {
  it('waits for a person, with its credit set aside, and is made once it is approved', async () => {
    const orders = await party.tool();
    const task = await party.refunding();
    expect(shop.seen).toEqual([]);
    expect(task.approvals).toMatchObject([
      {
        toolId: orders.id,
        toolVersion: 1,
        toolName: 'Orders',
        operation: 'refundOrder',
        arguments: '{"orderId":"7"}',
        decision: null,
        decidedBy: null,
      },
    ]);
    const { body: listed } = await party.client.call<WaitingApproval[]>(listApprovals);
    expect(listed).toMatchObject([
      { taskId: task.id, agentId: party.agentId, operation: 'refundOrder', input: task.input },
    ]);
    expect((await party.client.call<TaskStats>(getTaskStats)).body).toMatchObject({ waiting: 1 });

    // Those who may edit agents are notified, and nobody else decides.
    const { client: viewer } = await joinAs(party.client, product.url, 'Viewer');
    expect((await party.decide(task, { decision: 'approved' }, viewer)).status).toBe(403);
    expect((await viewer.call<unknown[]>(listApprovals)).body).toHaveLength(1);
    const { client: stranger } = await registerOrganization(product.url);
    expect((await party.decide(task, { decision: 'approved' }, stranger)).status).toBe(404);
    const { body } = await party.client.call<Notification[]>(listNotifications);
    expect(body.find(({ kind }) => kind === 'approval-needed')).toMatchObject({
      params: { tool: 'Orders', operation: 'refundOrder' },
      object: { kind: 'task', id: task.id },
    });

    // It is decided on once, and a repeated decision is a retry.
    expect((await party.decide(task, { decision: 'approved' })).status).toBe(200);
    expect((await party.decide(task, { decision: 'approved' })).status).toBe(200);
    const other = await party.decide(task, { decision: 'refused' });
    expect(other).toMatchObject({ status: 409, body: { code: 'approval-decided' } });
    const done = await party.ended(task.id);
    const unknown = { id: task.id, approvals: [{ id: crypto.randomUUID() }] } as TaskDetail;
    expect((await party.decide(unknown, { decision: 'approved' })).status).toBe(404);
    expect(done).toMatchObject({ status: 'success', creditCost: 1 });
    expect(done.approvals).toMatchObject([{ decision: 'approved', forRun: false }]);
    expect(done.approvals[0]?.decidedBy?.name).toBeTruthy();
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
    expect((await party.client.call(listApprovals)).body).toEqual([]);
    await expect.poll(() => ledgerKinds()).toEqual(['granted', 'reserved', 'charged']);
  });

  it('is made with other arguments, if a person changes them', async () => {
    await party.tool();
    const task = await party.refunding();
    const { client: manager } = await joinAs(party.client, product.url, 'AgentManager');
    const changed = { decision: 'approved', arguments: { orderId: '8' } } as const;
    expect((await party.decide(task, changed, manager)).status).toBe(200);
    const done = await party.ended(task.id);
    expect(done.approvals).toMatchObject([
      { arguments: '{"orderId":"7"}', changedArguments: '{"orderId":"8"}' },
    ]);
    expect(done.toolCalls).toMatchObject([{ input: 'refundOrder {"orderId":"8"}' }]);
    expect(shop.seen).toEqual(['POST /api/refunds/8']);
  });

  it('that is refused is not made, and the task fails for nothing', async () => {
    await party.tool();
    const task = await party.refunding();
    await party.decide(task, { decision: 'refused', note: 'Ask the customer first.' });
    const done = await party.ended(task.id);
    expect(done).toMatchObject({ status: 'failed', creditCost: 0 });
    expect(done.errorMessage).toContain('Ask the customer first.');
    expect(done.approvals).toMatchObject([
      { decision: 'refused', note: 'Ask the customer first.' },
    ]);
    expect(shop.seen).toEqual([]);
    await expect.poll(() => ledgerKinds()).toEqual(['granted', 'reserved', 'released']);
  });

  it('that is refused is not made, although an Admin has allowed such calls since', async () => {
    const orders = await party.tool();
    const task = await party.refunding();
    const policies = { changes: 'allow', operations: {} };
    await party.client.call(changeTool, { params: { id: orders.id }, body: { policies } });
    await party.decide(task, { decision: 'refused' });
    expect(await party.ended(task.id)).toMatchObject({ status: 'failed' });
    expect(shop.seen).toEqual([]);
  });

  it('is not decided on once the task was cancelled, which costs nothing', async () => {
    await party.tool();
    const task = await party.refunding();
    expect((await party.client.call(cancelTask, { params: { id: task.id } })).status).toBe(200);
    expect(await party.decide(task, { decision: 'approved' })).toMatchObject({
      status: 409,
      body: { code: 'task-ended' },
    });
    expect((await party.client.call(listApprovals)).body).toEqual([]);
    await expect.poll(() => ledgerKinds()).toEqual(['granted', 'reserved', 'released']);
    expect(shop.seen).toEqual([]);
  });

  it('is not decided on by what is no decision', async () => {
    const wrong: [body: object, path: string][] = [
      [{}, 'decision'],
      [{ decision: 'perhaps' }, 'decision'],
      [{ decision: 'refused', arguments: {} }, 'arguments'],
      [{ decision: 'approved', note: 'No' }, 'note'],
      [{ decision: 'refused', forRun: true }, 'forRun'],
      [{ decision: 'approved', arguments: [] }, 'arguments'],
      [{ decision: 'approved', arguments: { text: 'x'.repeat(64_001) } }, 'arguments'],
      [{ decision: 'refused', note: 'x'.repeat(1_001) }, 'note'],
    ];
    const approvals = [{ id: crypto.randomUUID() }] as TaskDetail['approvals'];
    for (const [body, path] of wrong) {
      const { status, body: answer } = await party.decide(
        { id: crypto.randomUUID(), approvals },
        body,
      );
      expect([status, answer.errors?.[0]?.path]).toEqual([422, path]);
    }
  });

  it('asks again after the tool was changed', async () => {
    const orders = await party.tool();
    const task = await party.refunding();
    const params = { id: orders.id };
    await party.client.call(changeTool, {
      params,
      body: { description: 'Refunds orders of the shop' },
    });
    await party.decide(task, { decision: 'approved' });
    const again = await party.waiting(task.id, 2);
    expect(again.approvals).toMatchObject([
      { toolVersion: 1, decision: 'approved' },
      { toolVersion: 2, decision: null },
    ]);
    expect(shop.seen).toEqual([]);
    await party.decide(again, { decision: 'approved' });
    expect(await party.ended(task.id)).toMatchObject({ status: 'success' });
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('waits in the step of a playbook', async () => {
    const steps = ['Orders: look up order 7 with getOrder', 'Refund order 7: refundOrder'];
    const { body: playbook } = await party.client.call<Playbook>(createPlaybook, {
      body: { ...playbookInput, steps },
    });
    await party.assign([(await party.tool()).id], [playbook.id]);
    const { body } = await party.run('Order 7', { type: 'playbook' });
    const task = await party.waiting(body.taskId);
    expect(task.approvals).toMatchObject([{ step: 2, operation: 'refundOrder' }]);
    await party.decide(task, { decision: 'approved' });
    expect(await party.ended(task.id)).toMatchObject({ status: 'success', creditCost: 1 });
    expect(shop.seen).toEqual(['GET /api/orders/7', 'POST /api/refunds/7']);
  });

  it('keeps its credit over a restart, and resumes or fails after it', async () => {
    await party.tool();
    const task = await party.refunding();
    await expect
      .poll(async () => (await entries()).map(({ kind }) => kind))
      .toEqual(['granted', 'reserved', 'extended']);
    // Until tomorrow, but not dated so.
    expect(Date.parse((await entries()).at(-1)?.at ?? '')).toBeLessThanOrEqual(Date.now());
    const [cut, late] = [await otherParty(), await otherParty()];
    const taken = await cut.refunding('Refund order 8: refundOrder');
    const waited = await late.refunding('Refund order 9: refundOrder');
    await cutOff(async (tasks) => {
      const decide = (of: TaskDetail, deadline: number) => {
        const data = { approvalId: asked(of), decision: 'approved', forRun: false } as const;
        const by = { decidedBy: newId(), deadline: new Date(deadline).toISOString() };
        return tasks(of.id, { type: 'DecideApproval', data: { ...data, ...by } });
      };
      // The process that took the decision died.
      await decide(taken, Date.now() + 60_000);
      // A further call, whose time is over.
      await decide(waited, Date.now());
      const [first] = waited.approvals;
      const { toolName = '', operation = '' } = first ?? {};
      const call = { toolName, operation, arguments: '{}', step: null };
      const tool = { toolId: first?.toolId ?? '', toolVersion: first?.toolVersion ?? 1 };
      const deadline = new Date().toISOString();
      const data = { ...call, ...tool, approvalId: newId(), turns: '[]', deadline };
      await tasks(waited.id, { type: 'RequestApproval', data });
    });
    expect(await cut.ended(taken.id)).toMatchObject({ status: 'success' });
    expect(await late.ended(waited.id)).toMatchObject({
      status: 'failed',
      errorCode: 'approval-expired',
      creditCost: 0,
    });
    await expect.poll(() => ledgerKinds(late)).toEqual(['granted', 'reserved', 'released']);
    expect(await party.detail(task.id)).toMatchObject({ status: 'waiting' });
    expect(shop.seen).toEqual(['POST /api/refunds/8']);
    await party.decide(task, { decision: 'approved' });
    expect(await party.ended(task.id)).toMatchObject({ status: 'success', creditCost: 1 });
    expect(shop.seen).toEqual(['POST /api/refunds/8', 'POST /api/refunds/7']);
    await expect.poll(() => ledgerKinds()).toEqual(['granted', 'reserved', 'charged']);
  });
});
