import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { signLog } from '@tallyhand/command-service/features/audit/audit-checkpoints';
import { checkLogs } from '@tallyhand/command-service/features/audit/check-logs';
import { openTestKit } from '@tallyhand/command-service/kit/testing/backends';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type AuditCheckpoint,
  type AuditExport,
  type AuditKey,
  type AuditKeyHistory,
  getAuditCheckpoint,
  getAuditExport,
  listAuditKeys,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { signIn } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { AUDIT_KEYS_PATH } from '@tallyhand/contracts/web-paths';
import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { historyFaults, signKeyEntry } from '@tallyhand/service-kit/audit-bundle/key-history';
import { auditKeyFrom } from '@tallyhand/service-kit/audit-bundle/keys';
import {
  type AuditSigner,
  localSigner,
  readPrivateKey,
} from '@tallyhand/service-kit/audit-bundle/signer';
import { readTrustedKeys } from '@tallyhand/service-kit/audit-bundle/trusted-keys';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import { nextKeyFile } from '@tallyhand/service-kit/audit-keys/local-keys';
import { appendKey } from '@tallyhand/service-kit/audit-keys/stored-history';
import {
  type ApiClient,
  agentInput,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { testKey } from '@tallyhand/test-kit/backends';
import { startTransitPeer } from '@tallyhand/test-kit/transit-peer';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApplicationConfig, startApplication } from '../application/start.ts';
import { runRotateAuditKeyCommand } from '../operator/rotate-audit-key-command.ts';
import { newAuditKey, writeAuditKey } from '../testing/audit-keys.ts';
import { savedExport } from '../testing/finished-export.ts';
import { runOperator, storesOf } from '../testing/operator.ts';
import { startTestProduct, testConfig } from '../testing/product.ts';

const LONG_MS = 120_000;
const EXPORT_FAILS = { timeout: 60_000 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallyhand-audit-keys-'));
});
afterAll(() => rm(folder, { recursive: true }));

const historyOf = async (url: string) =>
  (await (await fetch(`${url}${AUDIT_KEYS_PATH}`)).json()) as AuditKeyHistory;
const keyOf = async (client: ApiClient) =>
  (await client.call<AuditKey[]>(listAuditKeys)).body[0] ?? expect.fail('There is no key');
const checkpointNow = async (client: ApiClient) =>
  (await client.call<AuditCheckpoint>(getAuditCheckpoint)).body;

async function verified(file: string, key: string, since?: unknown) {
  if (since === undefined) return verifyBundle(file, readTrustedKeys(key));
  const earlier = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(earlier, JSON.stringify(since));
  return verifyBundle(file, readTrustedKeys(key), { since: await readEarlierHead(earlier) });
}

describe('npm run audit:rotate-key', () => {
  it(
    'is used by the running product, and the first key verifies exports before and after',
    async () => {
      const path = join(folder, 'audit-key.pem');
      await using product = await startTestProduct({ auditKey: writeAuditKey(path) });
      const { url } = product;
      const { client, user } = await registerOrganization(url);
      const caller = { client, url };
      await using opened = await openKit(product.config);
      const first = await keyOf(client);
      const kept = await checkpointNow(client);
      await signLog(opened.kit, user.organization.id);
      const before = await savedExport(caller, folder);
      const rotate = () => runOperator(storesOf(product), 'rotate-audit-key');

      const files = [await readFile(path, 'utf8')];
      for (const round of [1, 2]) {
        const { code, output } = await rotate();
        expect([code, output]).toEqual([0, expect.stringContaining('now signs audit logs.')]);
        files.push(await readFile(path, 'utf8'));
        const { keys } = await historyOf(url);
        expect(keys).toHaveLength(round + 1);
        expect((await checkpointNow(client)).keyId).toBe(keys.at(-1)?.keyId);
      }
      expect(new Set(files).size).toBe(3);
      await client.call(createAgent, { body: agentInput });
      const after = await savedExport(caller, folder, { since: kept });
      await signLog(opened.kit, user.organization.id);
      const history = await (await fetch(`${url}${AUDIT_KEYS_PATH}`)).text();
      for (const key of [first.raw, history]) {
        expect(await verified(before.file, key)).toMatchObject({ isWell: true });
        expect(await verified(after.file, key)).toMatchObject({ isWell: true });
        expect(await verified(after.file, key, kept)).toMatchObject({ isWell: true });
      }
      // The new key alone does not vouch for what came before.
      const newest = await keyOf(client);
      expect((await verified(before.file, newest.raw)).isWell).toBe(false);
      expect(await checkLogs(opened.kit)).toMatchObject({ checkpoints: 2, differences: [] });
    },
    LONG_MS,
  );

  it(
    'replaces the key of a setting by the key of another setting, signed by the old one',
    async () => {
      await using product = await startTestProduct();
      await using peer = await startTransitPeer();
      const stores = storesOf(product);
      const refused = await runOperator(stores, 'rotate-audit-key');
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining('AUDIT_KEY is a setting.'),
      });
      const old = join(folder, 'old.pem');
      await writeFile(old, stores.AUDIT_KEY ?? '');
      const { AUDIT_KEY: _, ...rest } = stores;
      const settings = {
        ...rest,
        AUDIT_VAULT_ADDRESS: peer.address,
        AUDIT_VAULT_TOKEN: peer.token,
        AUDIT_VAULT_KEY_NAME: peer.name,
      };
      const moved = await runOperator(settings, 'rotate-audit-key', '--from', old);
      expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('follows on') });
      const rotated = await runOperator(settings, 'rotate-audit-key');
      expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining('a new version') });
      expect((await historyOf(product.url)).keys).toHaveLength(3);
      const other = join(folder, 'other.pem');
      await writeFile(other, newAuditKey());
      expect(
        await runOperator({ ...rest, AUDIT_KEY_FILE: other }, 'rotate-audit-key', '--from', old),
      ).toMatchObject({ code: 1, output: expect.stringContaining('does not hold the newest key') });
    },
    LONG_MS,
  );
});

describe('a rotation that stopped', () => {
  it(
    'is finished by the next one, and two at once make one history',
    async () => {
      const path = join(folder, 'stopped.pem');
      const next = nextKeyFile(path);
      await using kit = await openTestKit({ auditKey: writeAuditKey(path) });
      const { opened } = kit;
      const { pool, auditSigning } = opened.kit;
      const rotate = () => runRotateAuditKeyCommand([], opened);
      const pemIn = async (file: string) => await readFile(file, 'utf8');
      const historyLength = async () => (await auditSigning.history()).length;
      /** The newest key of the history signs, and is in the file. */
      const expectWell = async (length: number) => {
        const { signer, history } = await auditSigning.current();
        expect(history).toHaveLength(length);
        expect(historyFaults(history, 'it')).toEqual([]);
        expect(idOf(signer)).toBe(history.at(-1)?.keyId);
        expect(idOf(signer)).toBe(idOf(signerOf(await pemIn(path))));
        expect(existsSync(next)).toBe(false);
      };
      // After the next key was stored.
      const stored = newAuditKey();
      await writeFile(next, stored);
      await rotate();
      await expectWell(2);
      expect(await pemIn(path)).toBe(stored);

      // After it entered the history.
      const entered = newAuditKey();
      await writeFile(next, entered);
      const entry = await signKeyEntry(signerOf(entered), signerOf(stored), new Date());
      expect(await appendKey(pool, 2, entry)).toBe(true);
      expect((await auditSigning.current()).history).toHaveLength(3);
      await rotate();
      await expectWell(3);

      const both = await Promise.allSettled([rotate(), rotate()]);
      const done = both.filter(({ status }) => status === 'fulfilled').length;
      expect(done).toBeGreaterThan(0);
      expect(await historyLength()).toBe(3 + done);
      await expectWell(3 + done);
    },
    LONG_MS,
  );
});

const idOf = ({ publicKey }: AuditSigner) => publicKey.keyId;

function signerOf(pem: string): AuditSigner {
  const key = readPrivateKey(pem);
  return key ? localSigner(key) : expect.fail('It is no key');
}

/** The product of a moment, on stores that outlast it. */
async function running<T>(config: ApplicationConfig, work: (url: string) => Promise<T>) {
  await using application = await startApplication(config);
  return await work(`http://127.0.0.1:${application.port}`);
}

describe('an installation from before key histories', () => {
  it(
    'keeps its derived key as the first one, whatever its signing secret becomes',
    async () => {
      await using config = await testConfig();
      const derived = auditKeyFrom(config.signingKey);
      const pem = derived.export({ format: 'pem', type: 'pkcs8' }).toString();
      const derivedKey = localSigner(derived).publicKey;
      const { email, before, kept } = await running(
        { ...config, auditKey: { kind: 'setting', pem } },
        async (url) => {
          const { client, user } = await registerOrganization(url);
          const { id } = user.organization;
          await using opened = await openKit({ ...config, auditKey: { kind: 'setting', pem } });
          const kept = await checkpointNow(client);
          await signLog(opened.kit, id);
          const before = await savedExport({ client, url }, folder);
          return { email: user.email, before, kept };
        },
      );
      await forgetHistory(config.databaseUrl);

      // Two start at once, as at an upgrade of many machines.
      const [one, other] = await Promise.all([openKit(config), openKit(config)]);
      for (const opened of [one, other]) await opened[Symbol.asyncDispose]();
      const upgraded = { ...config, signingKey: testKey() };
      await running(upgraded, async (url) => {
        const { keys } = await historyOf(url);
        expect(keys.map(({ keyId, previous }) => [keyId, previous])).toEqual([
          [derivedKey.keyId, null],
          [expect.any(String), derivedKey.keyId],
        ]);
        const client = apiClient(url);
        await client.call(signIn, { body: { email, password: testPassword } });
        const after = await savedExport({ client, url }, folder, { since: kept });
        for (const file of [before.file, after.file]) {
          expect(await verified(file, derivedKey.raw)).toMatchObject({ isWell: true });
        }
        await using opened = await openKit(upgraded);
        expect(await checkLogs(opened.kit)).toMatchObject({ checkpoints: 1, differences: [] });
      });
    },
    LONG_MS,
  );
});

async function forgetHistory(databaseUrl: string) {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('truncate operational.audit_keys');
  await admin.end();
}

describe('an external signer that does not sign', () => {
  it(
    'delays checkpoints and fails exports, and all of it works once it is back',
    async () => {
      await using peer = await startTransitPeer();
      peer.state = 'sealed';
      const { address, token, mount, name } = peer;
      const auditKey = { kind: 'transit', address, token, mount, name } as const;
      await using product = await startTestProduct({ auditKey });
      const { url } = product;
      const { client, user } = await registerOrganization(url);
      await using opened = await openKit(product.config);
      const { id } = user.organization;
      expect(await client.call(getAuditCheckpoint)).toMatchObject({
        status: 503,
        body: { code: 'audit-signer-unavailable' },
      });
      await expect(signLog(opened.kit, id)).rejects.toThrow('Vault is sealed');
      const started = await client.call<AuditExport>(startAuditExport, {
        body: { format: 'csv' },
      });
      const params = { id: started.body.id };
      const status = async () =>
        (await client.call<AuditExport>(getAuditExport, { params })).body.status;
      await expect.poll(status, EXPORT_FAILS).toBe('failed');
      expect(await (await fetch(`${url}${AUDIT_KEYS_PATH}`)).json()).toEqual({ keys: [] });

      peer.state = 'answering';
      await signLog(opened.kit, id);
      const { file } = await savedExport({ client, url }, folder);
      const { raw } = await keyOf(client);
      expect(await verified(file, raw)).toMatchObject({ isWell: true });
      expect((await client.call(getAuditCheckpoint)).status).toBe(200);
      expect(await checkLogs(opened.kit)).toMatchObject({ checkpoints: 1, differences: [] });
    },
    LONG_MS,
  );
});

describe('the public key history', () => {
  it('is read without a sign-in, cached for a while, and takes no parameters', async () => {
    await using product = await startTestProduct();
    const answer = await fetch(`${product.url}${AUDIT_KEYS_PATH}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=60',
    ]);
    expect(((await answer.json()) as AuditKeyHistory).keys).toHaveLength(1);
    expect((await fetch(`${product.url}${AUDIT_KEYS_PATH}?x=1`)).status).toBe(422);
  });
});
