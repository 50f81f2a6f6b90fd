import {
  type AccountBalance,
  getTrialBalance,
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import { CreditsGranted } from '@tallyhand/contracts/features/credits/credits.events';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { getStatus, type Status } from '@tallyhand/contracts/features/status/status.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let client: ApiClient;

beforeAll(async () => {
  // The faults of this file are logged as errors: they are intended.
  product = await startTestProduct({ log: { info() {}, warn() {}, error() {} } });
  ({ client } = await registerOrganization(product.url));
  await spendOne(client);
});
afterAll(() => product[Symbol.asyncDispose]());

async function spendOne(own: ApiClient) {
  const { agent } = await agentWithArticle(own);
  const answer = await own.call(executeTask, {
    params: { id: agent.id },
    body: { input: 'Within how many days can items be returned?' },
  });
  expect(answer.status).toBe(200);
}

/** The public status. */
async function status() {
  const { body } = await apiClient(product.url).call<Status>(getStatus);
  const ledger = body.checks.find(({ name }) => name === 'ledger');
  return { status: body.status, ledger: ledger?.status };
}
const differences = async () => {
  const figures = await product.metrics();
  return Number(/^tallyhand_ledger_differences (\d+)$/m.exec(figures)?.[1]);
};

/** Credits that no command has decided, appended past the product. */
async function forgeGrant(organizationId: string, amount: number) {
  const log = openEventLog(product.config.eventStoreUrl);
  try {
    const last = await log.last(`ledger-${organizationId}`);
    if (!last) throw new Error('There is no ledger');
    const data = { organizationId, grantId: newId(), amount, reason: 'sign-up' as const };
    const { hash = '' } = last.envelope.link ?? {};
    const link = { prev: hash, hash: hash.split('').toReversed().join('') };
    const forged = { id: newId(), ...CreditsGranted(data), envelope: { ...last.envelope, link } };
    await log.append(`ledger-${organizationId}`, [forged], last.revision);
  } finally {
    await log.close();
  }
}

describe('a ledger that is checked all the time', () => {
  it('is intact: debits equal credits, and the accounts add up to the available credits', async () => {
    const { body: accounts } = await client.call<AccountBalance[]>(getTrialBalance);
    const sum = (side: 'debits' | 'credits') => accounts.reduce((all, a) => all + a[side], 0);
    expect(sum('debits')).toBe(sum('credits'));
    expect(accounts[0]).toEqual({ account: 'available', debits: 1, credits: 100 });
  });

  it('reports a forged event publicly, stops nothing, and finds it again after a rebuild', async () => {
    expect(await status()).toEqual({ status: 'ok', ledger: 'ok' });
    expect(await differences()).toBe(0);
    const { client, user } = await registerOrganization(product.url);
    await forgeGrant(user.organization.id, 1_000);
    await expect.poll(differences).toBe(1);
    expect(await status()).toEqual({ status: 'degraded', ledger: 'failing' });
    const { body } = await client.call<LedgerEntry[]>(listLedgerEntries);
    expect(body[0]).toMatchObject({ kind: 'granted', amount: 1_000, available: 1_100 });
    const other = await registerOrganization(product.url);
    await spendOne(other.client);
    const organization = await other.client.call<Organization>(getOrganization);
    expect(organization.body).toMatchObject({ creditBalance: 99, reserved: 0 });
    expect(await differences()).toBe(1);
    await product.restart(async () => {
      const admin = new pg.Client({ connectionString: product.config.databaseUrl });
      await admin.connect();
      await admin.query('update read_model.checkpoints set version = version + 1');
      await admin.query('update read_model.checks set differences = 7');
      await admin.end();
    });
    await expect.poll(differences).toBe(1);
  });
});
