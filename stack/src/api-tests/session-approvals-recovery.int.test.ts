import { decideSessionApproval } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SessionsProduct, startSessionsProduct } from '../testing/sessions-product.ts';
import { type Shop, ShopParty, startShop } from '../testing/shop.ts';

let shop: Shop;
let at: SessionsProduct;

beforeAll(async () => {
  shop = await startShop();
  const watchTimes = {
    everyMs: 100,
    unseenMs: 60_000,
    lostMs: 60_000,
    runnerMs: 60_000,
    aloneMs: 60_000,
  };
  at = await startSessionsProduct({ allowPrivateHosts: shop.host, watchTimes });
});
beforeEach(() => {
  shop.seen.length = 0;
});
afterEach(() => at.clear());
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

/** A session whose agent wants a refund, which a runner has asked for. */
async function asking() {
  const party = await ShopParty.register(at.product.url, shop.address);
  const { id: toolId } = await party.tool();
  const { client, agentId } = party;
  const organizationId = '';
  const running = await at.running({ client, agentId, organizationId, userId: '' });
  const { id, by } = running;
  const wanted = { toolId, operation: 'refundOrder', args: { orderId: '7' } };
  expect(await by.begin(id, 1)).toBe('go');
  expect(await by.ask(id, 1, wanted)).toMatchObject({ answer: 'wait', output: null });
  const read = () => at.read({ client, agentId, organizationId, userId: '' }, id);
  async function decide(decision: 'approved' | 'refused') {
    const approvalId = (await read()).session.approvalId;
    const body = { approvalId, decision };
    const { status } = await client.call(decideSessionApproval, { params: { id }, body });
    expect(status).toBe(200);
  }
  return { id, by, wanted, read, decide };
}

const use = ({
  id,
  by,
  wanted,
}: Pick<Awaited<ReturnType<typeof asking>>, 'id' | 'by' | 'wanted'>) =>
  by.useTool(id, wanted.toolId, wanted.operation, wanted.args);

describe('a call that waits in a session', () => {
  it('is asked for once, however often its runner asks, and is made once', async () => {
    const session = await asking();
    const { id, by, wanted, decide } = session;
    expect(await by.ask(id, 1, wanted)).toMatchObject({ answer: 'wait' });
    expect(await use(session)).toMatchObject({ success: false });
    expect(shop.seen).toEqual([]);
    await decide('approved');
    expect(await by.ask(id, 1, wanted)).toMatchObject({ answer: 'go' });
    expect(await use(session)).toMatchObject({ success: true });
    expect(await use(session)).toMatchObject({
      success: false,
      output: 'The approved call was made before; whether it did anything is not known.',
    });
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
    expect((await session.read()).approvals).toHaveLength(1);
  });

  it('is decided on while no runner holds it, and made by the runner that claims it', async () => {
    const session = await asking();
    const { id, wanted, decide } = session;
    // The runner stops, and gives its sessions up.
    await session.by.poll();
    await decide('approved');
    const by = at.runner();
    expect((await by.take(8)).sessionId).toBe(id);
    await by.open(id);
    expect(await by.begin(id, 1)).toBe('go');
    expect(await by.ask(id, 1, wanted)).toMatchObject({ answer: 'go' });
    expect(await use({ id, by, wanted })).toMatchObject({ success: true });
    expect(shop.seen).toEqual(['POST /api/refunds/7']);
  });

  it('lapses if the agent of the next runner does something else', async () => {
    const session = await asking();
    const { id, wanted } = session;
    await session.by.poll();
    const by = at.runner();
    await by.take(8);
    await by.open(id);
    expect((await session.read()).session.approvalId).not.toBeNull();
    await by.step(id, 1);
    expect((await session.read()).session.approvalId).toBeNull();
    expect(await by.begin(id, 2)).toBe('go');
    expect(await by.ask(id, 2, wanted)).toMatchObject({ answer: 'wait' });
    const { approvals } = await session.read();
    expect(approvals.map(({ decision }) => decision)).toEqual([null, null]);
  });

  it('is refused at once if it is too long for a person', async () => {
    const { id, by, wanted, read } = await asking();
    await by.complete(id, 1);
    expect(await by.begin(id, 2)).toBe('go');
    const long = { ...wanted, args: { orderId: '7'.repeat(64_000) } };
    expect(await by.ask(id, 2, long)).toMatchObject({
      answer: 'refused',
      output: 'This is too long for a person to approve.',
    });
    expect((await read()).session.approvalId).toBeNull();
  });

  it('is not made by a runner that has lost the session', async () => {
    const session = await asking();
    await session.by.poll();
    const lost = session.by.ask(session.id, 1, session.wanted);
    await expect(lost).rejects.toThrow();
    expect(shop.seen).toEqual([]);
  });
});

describe('the time of a session', () => {
  it('stands still while it waits', async () => {
    const { id, read } = await asking();
    const { pool } = at.internal.opened.kit;
    await pool.query(
      "update operational.open_sessions set deadline = now() - interval '1 minute' where session_id = $1",
      [id],
    );
    const deadline = async () => {
      const { rows } = await pool.query<{ is_later: boolean }>(
        'select deadline > now() as is_later from operational.open_sessions where session_id = $1',
        [id],
      );
      return rows[0]?.is_later;
    };
    await expect.poll(deadline).toBe(true);
    expect((await read()).session.status).toBe('running');
  });
});
