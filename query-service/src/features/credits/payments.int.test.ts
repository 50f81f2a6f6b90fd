import { randomUUID } from 'node:crypto';
import { Payment } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Columns,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('GET /api/billing/history', () => {
  const paid = (organizationId: string, columns: Columns) =>
    service.insert('payments', {
      payment_id: randomUUID(),
      organization_id: organizationId,
      package_name: 'Starter Pack',
      credits: 100,
      cents: 4_900,
      currency: 'usd',
      provider: 'test',
      status: 'succeeded',
      transaction_id: 'pi_1',
      refunded_cents: 0,
      requested_by: randomUUID(),
      created_at: '2026-11-21T08:00:00Z',
      ...columns,
    });

  it.each([
    [{}, 'succeeded', true, '0.00'],
    [{ status: 'pending', checkout_url: 'https://pay.example/1' }, 'pending', false, '0.00'],
    [{ status: 'failed', failure_code: 'card_declined' }, 'failed', false, '0.00'],
    [{ refunded_cents: 1_050 }, 'refunded', true, '10.50'],
    [{ dispute_outcome: 'open' }, 'disputed', true, '0.00'],
    [{ dispute_outcome: 'lost', refunded_cents: 1 }, 'disputed', true, '0.01'],
    [{ dispute_outcome: 'won' }, 'succeeded', true, '0.00'],
  ])('shows %j as %s', async (columns, status, hasReceipt, refundedAmount) => {
    const own = await service.caller();
    await paid(own.organizationId, columns);
    const [payment] = z.array(Payment).parse((await service.get('/api/billing/history', own)).body);
    expect(payment).toMatchObject({ status, hasReceipt, refundedAmount, amount: '49.00' });
    expect(payment?.checkoutUrl).toBe(status === 'pending' ? 'https://pay.example/1' : null);
  });

  it('counts the credits that were withdrawn, minus those that were returned', async () => {
    const own = await service.caller();
    const payment_id: string = randomUUID();
    await paid(own.organizationId, { payment_id, refunded_cents: 1_050 });
    const kinds = { purchased: 100, reversed: 60, reinstated: 20 };
    for (const [index, [kind, amount]] of Object.entries(kinds).entries()) {
      await service.entry(own.organizationId, { sequence: index + 1, kind, amount, payment_id });
    }
    const { body } = await service.get('/api/billing/history', own);
    expect(body).toMatchObject([{ creditsReversed: 40, refundedAmount: '10.50' }]);
  });

  it('is exported as CSV, oldest first, for the own organization only', async () => {
    const [own, other] = [await service.caller(), await service.caller()];
    await paid(own.organizationId, { created_at: '2026-11-21T09:00:00Z', credits: 500 });
    await paid(own.organizationId, { created_at: '2026-11-21T08:00:00Z', failure_code: '=1' });
    await paid(other.organizationId, { transaction_id: 'pi_of_another' });
    const { text } = await service.get('/api/billing/history/export', own);
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`,Starter Pack,100,49.00,usd,succeeded,'=1,0.00,0,,test,pi_1,`);
    expect(lines[2]).toContain(',Starter Pack,500,');
  });
});
