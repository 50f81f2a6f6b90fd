import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { signLog } from '@tallyhand/command-service/features/audit/audit-checkpoints';
import { checkLogs } from '@tallyhand/command-service/features/audit/check-logs';
import { openTestKit, type TestKit } from '@tallyhand/command-service/kit/testing/backends';
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
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
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
import { sharedProduct, startTestProduct, testConfig } from '../testing/product.ts';

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

/** Each entry of a history is signed by the key before it. */
async function expectHistory({ opened }: TestKit, length: number): Promise<void> {
  const { signer, history } = await opened.kit.auditSigning.current();
  expect(history).toHaveLength(length);
  expect(historyFaults(history, 'it')).toEqual([]);
  expect(idOf(signer)).toBe(history.at(-1)?.keyId);
}

const pemIn = async (file: string) => await readFile(file, 'utf8');

describe('a rotation of the audit key', () => {
  it('is finished by the next one when it stopped, two at once make one history, and a key of another setting follows on', async () => {
    const path = join(folder, 'rotated.pem');
    await using kit = await openTestKit({ auditKey: writeAuditKey(path) });
    const length = await expectFinished(kit, path);
    await expectOtherSetting(kit, path, length);
  });
});

/** Returns how many keys the history has then. */
async function expectFinished(kit: TestKit, path: string): Promise<number> {
  const next = nextKeyFile(path);
  const { opened } = kit;
  const { pool, auditSigning } = opened.kit;
  const rotate = () => runRotateAuditKeyCommand([], opened);
  /** The newest key of the history signs, and is in the file. */
  const expectWell = async (length: number) => {
    await expectHistory(kit, length);
    const { signer } = await auditSigning.current();
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
  expect(await auditSigning.history()).toHaveLength(3 + done);
  await expectWell(3 + done);
  return 3 + done;
}

/** From the key in a file, now of a setting, to the keys of an external signer. */
async function expectOtherSetting(kit: TestKit, path: string, length: number): Promise<void> {
  await using peer = await startTransitPeer();
  const rotate = async (auditKey: AuditKeySettings, ...args: readonly string[]) => {
    await using opened = await openKit({ ...kit.config, auditKey });
    return (await runRotateAuditKeyCommand(args, opened)).lines[0];
  };
  await expect(rotate({ kind: 'setting', pem: await pemIn(path) })).rejects.toThrow(
    'AUDIT_KEY is a setting.',
  );
  const { address, token, mount, name } = peer;
  const transit = { kind: 'transit', address, token, mount, name } as const;
  const settings = storesOf({ config: { ...kit.config, auditKey: transit } });
  const followed = await runOperator(settings, 'rotate-audit-key', '--from', path);
  expect(followed).toMatchObject({ code: 0, output: expect.stringContaining('follows on') });
  expect(await rotate(transit)).toContain('a new version');
  await using moved = await openKit({ ...kit.config, auditKey: transit });
  await expectHistory({ ...kit, opened: moved }, length + 2);
  const other = writeAuditKey(join(folder, 'other.pem'));
  await expect(rotate(other, '--from', path)).rejects.toThrow('does not hold the newest key');
}

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

type Upgraded = {
  readonly config: ApplicationConfig;
  readonly url: string;
  readonly client: ApiClient;
  /** The first key of all, with an export and a checkpoint from before the rotations. */
  readonly first: string;
  readonly before: string;
  readonly kept: AuditCheckpoint;
};

describe('an installation from before key histories', () => {
  it('keeps its derived key as the first one, whatever its signing secret becomes, and whichever keys npm run audit:rotate-key makes', async () => {
    await using base = await testConfig();
    const derived = auditKeyFrom(base.signingKey);
    const pem = derived.export({ format: 'pem', type: 'pkcs8' }).toString();
    const derivedKey = localSigner(derived).publicKey;
    const old = { ...base, auditKey: { kind: 'setting', pem } } as const;
    const { email, organizationId, before, kept } = await running(old, async (url) => {
      const { client, user } = await registerOrganization(url);
      const { id } = user.organization;
      await using opened = await openKit(old);
      const kept = await checkpointNow(client);
      await signLog(opened.kit, id);
      const { file } = await savedExport({ client, url }, folder);
      return { email: user.email, organizationId: id, before: file, kept };
    });
    await forgetHistory(base.databaseUrl);

    const path = join(folder, 'audit-key.pem');
    const config = { ...base, auditKey: writeAuditKey(path) };
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
      const { file: after } = await savedExport({ client, url }, folder, { since: kept });
      const first = derivedKey.raw;
      for (const file of [before, after]) {
        expect(await verified(file, first)).toMatchObject({ isWell: true });
      }
      await using opened = await openKit(upgraded);
      expect(await checkLogs(opened.kit)).toMatchObject({ checkpoints: 1, differences: [] });

      const given = { config: upgraded, url, client, first, before: after, kept };
      await expectRotations(given, path, opened);
      await signLog(opened.kit, organizationId);
      expect(await checkLogs(opened.kit)).toMatchObject({ checkpoints: 2, differences: [] });
    });
  });
});

/** The running product signs with each new key, and the first key vouches for all of them. */
async function expectRotations(
  { config, url, client, first, before, kept }: Upgraded,
  path: string,
  opened: OpenedKit,
): Promise<void> {
  const byProgram = async () => {
    const { code, output } = await runOperator(storesOf({ config }), 'rotate-audit-key');
    return { isWell: code === 0, lines: [output] };
  };
  const here = () => runRotateAuditKeyCommand([], opened);
  const files = [await pemIn(path)];
  for (const [length, rotate] of [[3, byProgram] as const, [4, here] as const]) {
    const { isWell, lines } = await rotate();
    expect([isWell, lines[0]]).toEqual([true, expect.stringContaining('now signs audit logs.')]);
    files.push(await pemIn(path));
    const { keys } = await historyOf(url);
    expect(keys).toHaveLength(length);
    expect((await checkpointNow(client)).keyId).toBe(keys.at(-1)?.keyId);
  }
  expect(new Set(files).size).toBe(3);
  await client.call(createAgent, { body: agentInput });
  const { file: after } = await savedExport({ client, url }, folder, { since: kept });
  const history = await (await fetch(`${url}${AUDIT_KEYS_PATH}`)).text();
  for (const key of [first, history]) {
    expect(await verified(before, key)).toMatchObject({ isWell: true });
    expect(await verified(after, key)).toMatchObject({ isWell: true });
    expect(await verified(after, key, kept)).toMatchObject({ isWell: true });
  }
  // The new key alone does not vouch for what came before.
  const newest = await keyOf(client);
  expect((await verified(before, newest.raw)).isWell).toBe(false);
}

async function forgetHistory(databaseUrl: string) {
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('truncate operational.audit_keys');
  await admin.end();
}

describe('an external signer that does not sign', () => {
  it('delays checkpoints and fails exports, and all of it works once it is back', async () => {
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
  });
});

describe('the public key history', () => {
  it('is read without a sign-in, cached for a while, and takes no parameters', async () => {
    const product = await sharedProduct();
    const answer = await fetch(`${product.url}${AUDIT_KEYS_PATH}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=60',
    ]);
    expect(((await answer.json()) as AuditKeyHistory).keys).toHaveLength(1);
    expect((await fetch(`${product.url}${AUDIT_KEYS_PATH}?x=1`)).status).toBe(422);
  });
});
