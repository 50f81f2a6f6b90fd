import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';
import { losingPool } from '../../kit/testing/losing-pool.ts';
import { sendDeliveries, WEBHOOK_TIMES } from './send-deliveries.ts';
import { sealSecret } from './webhook-rows.ts';

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
beforeEach(() => kit.admin.query('truncate operational.webhooks cascade'));
afterAll(() => kit[Symbol.asyncDispose]());

/** A delivery to a port that refuses connections. */
async function due(): Promise<string> {
  const { box } = kit.opened.kit;
  const [webhookId, deliveryId, organizationId] = [newId(), newId(), newId()];
  await kit.admin.query(
    `insert into operational.webhooks
       (webhook_id, organization_id, url, events, description, created_at, secret)
     values ($1, $2, 'http://127.0.0.1:1/', '{*}', '', now(), $3)`,
    [webhookId, organizationId, sealSecret(box, webhookId, `whsec_${'c2VjcmV0'.repeat(4)}`)],
  );
  await kit.admin.query(
    `insert into operational.webhook_deliveries
       (delivery_id, webhook_id, organization_id, type) values ($1, $2, $3, 'test')`,
    [deliveryId, webhookId, organizationId],
  );
  return deliveryId;
}

async function stateOf(deliveryId: string) {
  const { rows } = await kit.admin.query<{ state: string; tries: number }>(
    'select state, tries from operational.webhook_deliveries where delivery_id = $1',
    [deliveryId],
  );
  return rows[0];
}

describe('a delivery of a webhook', () => {
  it.each([
    ['its taking', /set state = 'sending'/, true],
    ['its end', /set state = case when is_over/, false],
  ])('goes out later where the database goes away at %s', async (_, statement, isCarriedOut) => {
    const id = await due();
    const { kit: own, url } = kit.opened;
    const pool = losingPool(own.pool, statement, { isCarriedOut });
    const times = { ...WEBHOOK_TIMES, lookMs: 10 };
    const switches = { disable: async () => {} };
    await using _delivery = await sendDeliveries({ ...own, pool }, url, switches, times);
    const timeout = 8_000;
    await expect.poll(() => stateOf(id), { timeout }).toEqual({ state: 'waiting', tries: 1 });
  });

  it('is repeated when it is due, however seldom due deliveries are looked for', async () => {
    const id = await due();
    const { kit: own, url } = kit.opened;
    const times = { ...WEBHOOK_TIMES, retryMs: [30, 30], lookMs: 3_600_000 };
    const switches = { disable: async () => {} };
    await using _delivery = await sendDeliveries(own, url, switches, times);
    await expect.poll(() => stateOf(id)).toEqual({ state: 'failed', tries: 3 });
  });
});
