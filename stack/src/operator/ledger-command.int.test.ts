import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import {
  type StripePeer,
  startStripePeer,
} from '@tallyhand/command-service/features/credits/testing/stripe-peer/stripe-peer';
import {
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  startVerification,
  type Verification,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { receiveStripeWebhook } from '@tallyhand/contracts/features/credits/payments.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { jsonLog } from '@tallyhand/service-kit/log';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purchasesOf } from '../testing/one-of-each.ts';
import { openOperatorAccess, runOperator, storesOf } from '../testing/operator.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { OperatorError } from './command.ts';
import { runLedgerCommand } from './ledger-command.ts';
import { runPayoutsCommand } from './payouts-command.ts';

const why = ['--reason', 'A mistake', '--approver', 'Ada Berg'];

const stack = new AsyncDisposableStack();
let peer: StripePeer;
let product: OwnProduct;
let opened: OpenedKit;
let access: ReturnType<typeof openOperatorAccess>;
let folder: string;
let client: ApiClient;
let user: CurrentUser;

beforeAll(async () => {
  peer = stack.use(await startStripePeer());
  const payments = {
    stripeSecretKey: peer.secretKey,
    stripeWebhookSecret: peer.webhookSecret,
    stripeApiBase: peer.url,
  };
  // A ledger that fails its verification is an error in the log: intended here.
  product = stack.use(await startTestProduct({ log: jsonLog('test', 'silent'), payments }));
  opened = stack.use(await openKit(product.config));
  access = stack.use(openOperatorAccess(product));
  folder = await mkdtemp(join(tmpdir(), 'payouts-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
});
afterAll(() => stack.disposeAsync());
beforeEach(async () => {
  ({ client, user } = await registerOrganization(product.url));
});

const run = (...args: string[]) => runLedgerCommand(args, opened);
const own = () => ['--organization', user.organization.id];
/** Without a position, the caller waits until a condition is true. */
const newest = () => client.call<LedgerEntry[]>(listLedgerEntries).then(({ body }) => body[0]);

async function chargedTask(): Promise<string> {
  const { agent } = await agentWithArticle(client);
  const body = { input: 'Within how many days?' };
  const answer = await client.call<{ taskId: string }>(executeTask, {
    params: { id: agent.id },
    body,
  });
  return answer.body.taskId;
}

async function verifyOverTheApi(): Promise<Verification> {
  expect((await client.call(startVerification)).status).toBe(202);
  const state = async () => (await client.call<Verification>(getVerification)).body;
  await expect.poll(async () => (await state()).status).not.toBe('running');
  return state();
}

describe('an adjustment', () => {
  it('corrects the balance, and records who is responsible', async () => {
    const { lines } = await run('adjust', ...own(), '--credits', '25', ...why);
    expect(lines).toEqual(['Done. The balance is now 125 credits.']);
    await expect.poll(newest).toMatchObject({
      kind: 'adjusted',
      amount: 25,
      available: 125,
      reason: 'A mistake',
      approver: 'Ada Berg',
    });
    await run('adjust', ...own(), '--credits=-130', ...why);
    await expect.poll(newest).toMatchObject({ amount: -130, available: -5 });
  });

  it('happens once under an id', async () => {
    const id = ['--id', randomUUID()];
    await run('adjust', ...own(), '--credits', '25', ...id, ...why);
    const { lines } = await run('adjust', ...own(), '--credits', '25', ...id, ...why);
    expect(lines).toEqual(['Done. The balance is now 125 credits.']);
  });

  it.each([
    ['--credits', ['--credits', 'many']],
    ['--credits', ['--credits', '1.5']],
    ['--credits', ['--credits', '0']],
    ['--credits', []],
    ['--approver', ['--credits', '5', '--reason', 'A mistake']],
    ['--reason', ['--credits', '5', '--approver', 'Ada']],
  ])('is refused, and %s is named, for %s', async (option, args) => {
    await expect(run('adjust', ...own(), ...args)).rejects.toThrow(option);
    await expect(run('adjust', ...own(), ...args)).rejects.toThrow(OperatorError);
  });
});

describe('a refund of a charge', () => {
  it('returns the credit once', async () => {
    const task = ['--task', await chargedTask()];
    await run('refund', ...own(), ...task, ...why);
    const { lines } = await run('refund', ...own(), ...task, ...why);
    expect(lines).toEqual(['Done. The balance is now 100 credits.']);
    await expect.poll(newest).toMatchObject({ kind: 'refunded', available: 100 });
  });
  it('is refused for an unknown charge', async () => {
    const task = ['--task', randomUUID()];
    await expect(run('refund', ...own(), ...task, ...why)).rejects.toThrow(
      'There is no such charge',
    );
  });
});

describe('a verification', () => {
  it('passes for a ledger with every kind of entry, in all three ways', async () => {
    await run('refund', ...own(), '--task', await chargedTask(), ...why);
    await run('adjust', ...own(), '--credits', '7', ...why);
    const { lines, isWell } = await run('verify', ...own());
    expect(isWell).toBe(true);
    expect(lines[0]).toContain('chain intact; available by events 107, read model 107');
    expect(await verifyOverTheApi()).toMatchObject({
      status: 'passed',
      entries: 5,
      brokenAt: null,
      available: { events: 107, readModel: 107, trialBalance: 107 },
    });
  });

  it('names the entry that bypassed the ledger', async () => {
    const { eventLog } = opened.kit.streams;
    const last = await eventLog.last(`ledger-${user.organization.id}`);
    if (!last) expect.fail('The ledger is empty');
    const { envelope, type, data } = last;
    const forged = { ...data, grantId: newId(), amount: 1_000 };
    await eventLog.append(
      last.stream,
      [{ id: newId(), type, data: forged, envelope }],
      last.revision,
    );
    expect(await verifyOverTheApi()).toMatchObject({ status: 'failed', entries: 2, brokenAt: 2 });
    const { isWell, lines } = await run('verify', ...own());
    expect([isWell, lines[0]]).toEqual([false, expect.stringContaining('broken at entry 2')]);
  });

  it('names an organization that does not exist, and a command that is none', async () => {
    await expect(run('verify', '--organization', randomUUID())).rejects.toThrow('no such');
    await expect(run('burn')).rejects.toThrow('npm run ledger');
    await expect(run('adjust', '--colour', 'red')).rejects.toThrow('colour');
    const unknown = run('adjust', ...own(), '--amount', '50', ...why);
    await expect(unknown).rejects.toThrow(/^Unknown option '--amount'/);
  });
});

describe('the command on its own', () => {
  it('does its work before it ends', async () => {
    const args = ['adjust', ...own(), '--credits', '50', ...why];
    const adjusted = await runOperator(storesOf(product), 'ledger', ...args);
    expect(adjusted).toEqual({ code: 0, output: 'Done. The balance is now 150 credits.\n' });
    expect(await run('verify', ...own())).toMatchObject({ isWell: true });
  });
});

const month = new Date().toISOString().slice(0, 'YYYY-MM'.length);

const stripe = () => ({
  STRIPE_SECRET_KEY: peer.secretKey,
  STRIPE_WEBHOOK_SECRET: peer.webhookSecret,
  STRIPE_API_BASE: peer.url,
});
const payouts = (...args: string[]) => runPayoutsCommand(args, access.pool, stripe());

/** A purchase by a new organization, of which the product knows. */
async function bought() {
  const buyer = await registerOrganization(product.url);
  const admin = purchasesOf(buyer.client);
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
  it('writes as CSV that each payment is in one balance transaction, and names each difference', async () => {
    const first = await bought();
    const { session, send, admin, id } = await bought();
    const before = peer.account.events.length;
    peer.account.refund(session, 900);
    await send(before);
    await admin.expectStatus(id, 'refunded');
    const payoutId = peer.account.balance.payOut(Math.floor(Date.now() / 1_000));
    const output = join(folder, 'payouts.csv');
    const { lines, isWell } = await payouts('--month', month, '--output', output);
    expect([isWell, lines.at(-1)]).toEqual([true, 'Nothing differs.']);
    expect(lines).toContain(
      'USD: 3 balance transactions of 89.00, fees 3.44, net 85.56; 1 payouts, 0 transactions not paid out.',
    );
    const csv = await readFile(output, 'utf8');
    expect(csv.match(new RegExp(payoutId, 'g'))).toHaveLength(3);
    expect(csv).toContain(first.id);
    expect(`${lines}${csv}`).not.toContain(peer.secretKey);

    const forgetting = await bought();
    const [forgotten] = peer.account.balance.transactions.slice(-1);
    peer.account.balance.forget(forgotten?.id ?? '');
    const other = await bought();
    const [charged] = peer.account.balance.transactions.slice(-1);
    Object.assign(charged ?? {}, { fee: 100 });
    const env = { ...storesOf(product), ...stripe() };
    const { code, output: printed } = await runOperator(env, 'payouts', '--month', month);
    expect(code).toBe(1);
    expect(printed).toContain(
      `missing-there: No balance transaction charges the payment ${forgetting.id}`,
    );
    expect(printed).toContain(`fee: ${charged?.id} is 49.00 USD with a fee of 1.00 USD`);
    expect(printed).toContain('2 differences.');
    expect(printed).not.toContain(other.id);
    expect(printed).not.toContain(peer.secretKey);
  });

  it.each([
    [['--month', '2026-13'], '--month must be a month, as 2026-10.'],
    [['--month', '2999-01'], '--month must not be in the future.'],
    [['--output', 'x.csv'], '--month must be a month, as 2026-10.'],
    [['--days', '3'], "Unknown option '--days'"],
    [['--month', '2026-10', '--output', '/no/such/folder/x.csv'], "can't be written (ENOENT)"],
  ])('is refused with %j', async (args, message) => {
    const refused = payouts(...args);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(OperatorError);
  });
});
