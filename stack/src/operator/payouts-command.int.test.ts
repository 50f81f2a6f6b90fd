import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type StripePeer,
  startStripePeer,
} from '@tallyhand/command-service/features/credits/testing/stripe-peer/stripe-peer';
import { receiveStripeWebhook } from '@tallyhand/contracts/features/credits/payments.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purchasesOf } from '../testing/one-of-each.ts';
import { runOperator, storesOf } from '../testing/operator.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let peer: StripePeer;
let product: OwnProduct;
let folder: string;
beforeAll(async () => {
  peer = await startStripePeer();
  product = await startTestProduct({
    payments: {
      stripeSecretKey: peer.secretKey,
      stripeWebhookSecret: peer.webhookSecret,
      stripeApiBase: peer.url,
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'payouts-'));
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const month = new Date().toISOString().slice(0, 'YYYY-MM'.length);

const run = (...args: string[]) =>
  runOperator(
    {
      ...storesOf(product),
      STRIPE_SECRET_KEY: peer.secretKey,
      STRIPE_WEBHOOK_SECRET: peer.webhookSecret,
      STRIPE_API_BASE: peer.url,
    },
    'payouts',
    ...args,
  );

/** A purchase by a new organization, of which the product knows. */
async function bought() {
  const { client } = await registerOrganization(product.url);
  const admin = purchasesOf(client);
  const { paymentIntentId: id, checkoutUrl = '' } = await admin.buy();
  const session = /\/c\/pay\/(\w+)$/.exec(checkoutUrl)?.[1] ?? '';
  const send = async (from: number) =>
    peer.send(`${product.url}${receiveStripeWebhook.path}`, peer.account.events.slice(from));
  const before = peer.account.events.length;
  peer.account.pay(session);
  await send(before);
  await admin.expectStatus(id, 'succeeded');
  return { id, session, admin, send };
}

describe('npm run payouts', () => {
  it('ends well where each payment is in one balance transaction, and writes them as CSV', async () => {
    const first = await bought();
    const { session, send, admin, id } = await bought();
    const before = peer.account.events.length;
    peer.account.refund(session, 900);
    await send(before);
    await admin.expectStatus(id, 'refunded');
    const payoutId = peer.account.balance.payOut(Math.floor(Date.now() / 1_000));
    const output = join(folder, 'payouts.csv');
    const { code, output: printed } = await run('--month', month, '--output', output);
    expect([code, printed]).toEqual([0, expect.stringContaining('Nothing differs.')]);
    expect(printed).toContain(
      'USD: 3 balance transactions of 89.00, fees 3.44, net 85.56; 1 payouts, 0 transactions not paid out.',
    );
    const csv = await readFile(output, 'utf8');
    expect(csv.match(new RegExp(payoutId, 'g'))).toHaveLength(3);
    expect(csv).toContain(first.id);
    expect(`${printed}${csv}`).not.toContain(peer.secretKey);
  });

  it('names each difference and exits with 1', async () => {
    const { id } = await bought();
    const [forgotten] = peer.account.balance.transactions.slice(-1);
    peer.account.balance.forget(forgotten?.id ?? '');
    const other = await bought();
    const [charged] = peer.account.balance.transactions.slice(-1);
    Object.assign(charged ?? {}, { fee: 100 });
    const { code, output } = await run('--month', month);
    expect(code).toBe(1);
    expect(output).toContain(`missing-there: No balance transaction charges the payment ${id}`);
    expect(output).toContain(`fee: ${charged?.id} is 49.00 USD with a fee of 1.00 USD`);
    expect(output).toContain('2 differences.');
    expect(output).not.toContain(other.id);
  });

  it.each([
    [['--month', '2026-13'], '--month must be a month, as 2026-10.'],
    [['--month', '2999-01'], '--month must not be in the future.'],
    [['--output', 'x.csv'], '--month must be a month, as 2026-10.'],
    [['--days', '3'], "Unknown option '--days'"],
    [['--month', '2026-10', '--output', '/no/such/folder/x.csv'], "can't be written (ENOENT)"],
  ])('is refused with %j', async (args, message) => {
    const { code, output } = await run(...args);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });
});
