import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestQueryService, type TestQueryService } from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('the other reads of billing', () => {
  it('show limits with the name and the amount spent in this month', async () => {
    const own = await service.caller();
    const agentId = randomUUID();
    const today = new Date().toISOString().slice(0, 10);
    await service.agentNamed(own.organizationId, agentId, 'Support');
    for (const [kind, id] of [
      ['agent', agentId],
      ['member', own.userId],
    ]) {
      await service.admin.query('insert into read_model.spend_limits values ($1, $2, $3, 10)', [
        own.organizationId,
        kind,
        id,
      ]);
    }
    for (const [day, credits] of [
      [today, 3],
      ['2020-01-01', 50],
    ] as const) {
      await service.insert('usage_daily', {
        organization_id: own.organizationId,
        day,
        agent_id: agentId,
        member_id: own.userId,
        work_type: 'query',
        credits,
        count: 1,
      });
    }
    const limit = { monthlyCredits: 10, usedThisMonth: 3 };
    expect((await service.get('/api/billing/limits', own)).body).toEqual([
      { scope: { kind: 'agent', id: agentId }, name: 'Support', ...limit },
      { scope: { kind: 'member', id: own.userId }, name: null, ...limit },
    ]);
  });

  it('show the accounts of the double entry, including those without entries', async () => {
    const own = await service.caller();
    for (const [account, debits, credits] of [
      ['promotion', 100, 0],
      ['available', 0, 100],
    ]) {
      await service.admin.query('insert into read_model.account_balances values ($1, $2, $3, $4)', [
        own.organizationId,
        account,
        debits,
        credits,
      ]);
    }
    expect((await service.get('/api/billing/trial-balance', own)).body).toEqual([
      { account: 'available', debits: 0, credits: 100 },
      { account: 'reserved', debits: 0, credits: 0 },
      { account: 'usage', debits: 0, credits: 0 },
      { account: 'promotion', debits: 100, credits: 0 },
      { account: 'payment-clearing', debits: 0, credits: 0 },
      { account: 'adjustments', debits: 0, credits: 0 },
    ]);
  });

  it('show the newest verification, or that there was none', async () => {
    const own = await service.caller();
    const none = { startedAt: null, finishedAt: null, entries: 0, head: null, brokenAt: null };
    const never = { ...none, status: null, available: null, debits: null, credits: null };
    expect((await service.get('/api/billing/verification', own)).body).toEqual(never);
    const done = {
      ...never,
      status: 'passed',
      entries: 3,
      head: 'abc',
      debits: 102,
      credits: 102,
      startedAt: '2026-11-21T08:00:00.000Z',
      finishedAt: '2026-11-21T08:00:01.000Z',
      available: { events: 99, readModel: 99, trialBalance: 99 },
    };
    await service.admin.query(
      'insert into operational.ledger_verifications (organization_id, state) values ($1, $2)',
      [own.organizationId, JSON.stringify(done)],
    );
    expect((await service.get('/api/billing/verification', own)).body).toEqual(done);
    expect((await service.get('/api/billing/verification', await service.caller())).body).toEqual(
      never,
    );
  });

  it('show packages to every member, and the provider to Admins', async () => {
    const own = await service.caller();
    const viewer = await service.caller('Viewer', own.organizationId);
    const { status, body } = await service.get('/api/billing/packages', viewer);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: 'starter', amount: 49, pricePerCredit: '0.490' },
      { id: 'professional', amount: 199, pricePerCredit: '0.398', popular: true },
      { id: 'enterprise', amount: 349, pricePerCredit: '0.349' },
      { id: 'scale', amount: 1499, pricePerCredit: '0.300' },
    ]);
    expect((await service.get('/api/billing/settings', own)).body).toEqual({ provider: 'test' });
  });

  it.each([
    'ledger',
    'ledger/export',
    'trial-balance',
    'usage',
    'limits',
    'verification',
    'settings',
    'history',
    'history/export',
  ])('are for Admins only: %s', async (path) => {
    const own = await service.caller();
    for (const role of ['Editor', 'AgentManager', 'Viewer'] as const) {
      const answer = await service.get(
        `/api/billing/${path}`,
        await service.caller(role, own.organizationId),
      );
      expect([answer.status, answer.body]).toMatchObject([403, { code: 'role-not-allowed' }]);
    }
    expect((await service.get(`/api/billing/${path}`, { cookie: '' })).status).toBe(401);
    expect((await service.get(`/api/billing/${path}`, own)).status).toBe(200);
  });
});
