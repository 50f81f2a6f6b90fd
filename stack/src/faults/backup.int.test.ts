import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CurrentUser,
  signIn,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { listTasks } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { caseRuns, reportFault } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupFolderOf } from '../backup/manifest.ts';
import { startLoad } from './load.ts';
import {
  runOn,
  type SupervisedProduct,
  sharedFolder,
  startSupervised,
} from './supervised-product.ts';

const PROGRESS_MS_MAX = 180_000;
const { numRuns: RUNS } = caseRuns(1, 8);
const RUN_MS_MAX = 600_000;
const PASSPHRASE = { BACKUP_PASSPHRASE: 'a passphrase of the tests' };

const stack = new AsyncDisposableStack();
let folder = '';
let product: SupervisedProduct;

beforeAll(async () => {
  folder = stack.use(await sharedFolder()).path;
  product = stack.use(await startSupervised(join(folder, 'data')));
});
afterAll(() => stack.disposeAsync(), 30_000);

type Party = {
  readonly client: ApiClient;
  readonly user: CurrentUser;
  readonly agentId: string;
};

/** With its own credits, since load uses them up. */
async function newParty(): Promise<Party> {
  const { client, user } = await registerOrganization(product.url);
  return { client, user, agentId: (await agentWithArticle(client)).agent.id };
}

/** The same member on the restored product: everything is there, settled, and work continues. */
async function expectSameProduct(
  dataDir: string,
  { user, agentId }: Party,
  acknowledged: ReadonlySet<string>,
) {
  await using restored = await startSupervised(dataDir);
  const own = apiClient(restored.url);
  const body = { email: user.email, password: testPassword };
  expect((await own.call<{ user: CurrentUser }>(signIn, { body })).body.user.id).toBe(user.id);
  const state = async () => {
    const organization = await own.call<Organization>(getOrganization);
    const tasks = await own.call<{ id: string; status: string }[]>(listTasks);
    const { reserved, creditBalance } = organization.body;
    const spent = tasks.body.filter(({ status }) => status === 'success').length;
    const isOpen = ({ status }: { status: string }) => status === 'queued' || status === 'running';
    return { reserved, total: creditBalance + spent, open: tasks.body.filter(isOpen).length };
  };
  await expect.poll(state, { interval: 200 }).toEqual({ reserved: 0, total: 100, open: 0 });
  const { body: tasks } = await own.call<{ id: string }[]>(listTasks);
  const ids = new Set(tasks.map(({ id }) => id));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  const load = startLoad(own, agentId);
  await load.progress(2, PROGRESS_MS_MAX);
  await load.stop();
}

const auditKeyIn = (dataDir: string) => readFileSync(join(dataDir, 'audit-key.pem'), 'utf8');

describe('a backup', () => {
  it(
    'taken under load restores everything that was acknowledged before it',
    async () => {
      for (let run = 0; run < RUNS; run += 1) {
        const party = await newParty();
        const load = startLoad(party.client, party.agentId);
        await load.progress(4, PROGRESS_MS_MAX);
        const acknowledged = new Set(load.tasks);
        const file = join(folder, `${run}.backup`);
        const taken = await runOn(product.dataDir, PASSPHRASE, 'backup', file);
        await load.stop();
        expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('events in') });
        expect(statSync(file).mode & 0o777).toBe(0o600);
        const figures = await (await fetch(`${product.url}/metrics`)).text();
        expect(figures).toContain(`\ntallyhand_last_backup_size_bytes ${statSync(file).size}\n`);
        const dataDir = join(folder, `restored-${run}`);
        const restored = await runOn(dataDir, PASSPHRASE, 'restore', file);
        expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('npm start') });
        expect(auditKeyIn(dataDir)).toBe(auditKeyIn(product.dataDir));
        await expectSameProduct(dataDir, party, acknowledged);
        // The original has lost nothing either.
        const { body: tasks } = await party.client.call<{ id: string }[]>(listTasks);
        expect(new Set(tasks.map(({ id }) => id))).toEqual(load.tasks);
      }
      reportFault({ runs: RUNS });
    },
    RUNS * RUN_MS_MAX,
  );

  it(
    'without secrets is opened with the keys of then, and with no others',
    async () => {
      // A wrong key is noticed by what it does not open.
      await newParty();
      const file = join(folder, 'bare.backup');
      const taken = await runOn(product.dataDir, {}, 'backup', file, '--without-secrets');
      expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('without secrets') });
      // The disk that the product monitors from now on.
      expect(await backupFolderOf(product.dataDir)).toBe(folder);
      const dataDir = join(folder, 'restored-bare');
      const keys = { MASTER_KEY: 'm'.repeat(43), SIGNING_KEY: 's'.repeat(43) };
      const missing = await runOn(dataDir, {}, 'restore', file);
      expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('MASTER_KEY') });
      const wrong = await runOn(dataDir, keys, 'restore', file);
      const message = expect.stringContaining('MASTER_KEY is not');
      expect(wrong).toMatchObject({ code: 1, output: message });
      // Nothing is there that was not before, neither in the folder nor beside it.
      expect(readdirSync(dataDir)).toEqual([]);
      expect(readdirSync(folder).filter((name) => name.includes('.restoring-'))).toEqual([]);
    },
    RUN_MS_MAX,
  );
});
