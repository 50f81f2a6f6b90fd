import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyFaults, signKeyEntry } from '@tallyhand/service-kit/audit-bundle/key-history';
import { auditKeyFrom } from '@tallyhand/service-kit/audit-bundle/keys';
import {
  type AuditSigner,
  localSigner,
  readPrivateKey,
} from '@tallyhand/service-kit/audit-bundle/signer';
import { keyFile, nextKeyFile, settingKey } from '@tallyhand/service-kit/audit-keys/local-keys';
import { auditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import { appendKey } from '@tallyhand/service-kit/audit-keys/stored-history';
import { transitKeys } from '@tallyhand/service-kit/audit-keys/transit-keys';
import { testAuditKey, testKey } from '@tallyhand/test-kit/backends';
import { startTransitPeer } from '@tallyhand/test-kit/transit-peer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestKit, type TestKit } from '../../kit/testing/backends.ts';

let kit: TestKit;
const folder = mkdtempSync(join(tmpdir(), 'audit-keys-'));
beforeAll(async () => {
  kit = await openTestKit();
  await forgetHistory();
});
afterEach(() => forgetHistory());
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await kit[Symbol.asyncDispose]();
});

const forgetHistory = () => kit.admin.query('truncate operational.audit_keys');
const idOf = ({ publicKey }: Pick<AuditSigner, 'publicKey'>) => publicKey.keyId;
const keyIdIn = (pem: string) => idOf(signerOf(pem));

function signerOf(pem: string): AuditSigner {
  const key = readPrivateKey(pem);
  return key ? localSigner(key) : expect.fail('It is no key');
}

const signingKey = testKey();
const derivedId = idOf(localSigner(auditKeyFrom(signingKey)));
const newKey = () => testAuditKey().pem;

const signingWith = (pem: string, isUpgraded = false) =>
  auditSigning({
    pool: kit.opened.kit.pool,
    source: settingKey(pem),
    beginning: { signingKey, isUpgraded },
  });

describe('the key history', () => {
  it('of a new installation begins with its own key', async () => {
    const pem = newKey();
    const { signer, history } = await signingWith(pem).current();
    expect([idOf(signer), history.map(({ keyId }) => keyId)]).toEqual([
      keyIdIn(pem),
      [keyIdIn(pem)],
    ]);
  });

  it('of an earlier one begins with the derived key, which signs its own key', async () => {
    const pem = newKey();
    const { signer, history } = await signingWith(pem, true).current();
    expect(idOf(signer)).toBe(keyIdIn(pem));
    expect(history.map(({ keyId, previous }) => [keyId, previous])).toEqual([
      [derivedId, null],
      [keyIdIn(pem), derivedId],
    ]);
    expect(historyFaults(history, 'it')).toEqual([]);
    expect((await signingWith(pem, true).current()).history).toEqual(history);
  });

  it.each([false, true])('is one when many begin it at once; upgraded: %s', async (isUpgraded) => {
    const pem = newKey();
    const all = Array.from({ length: 8 }, () => signingWith(pem, isUpgraded).current());
    const histories = (await Promise.all(all)).map(({ history }) => history);
    expect(histories[0]).toHaveLength(isUpgraded ? 2 : 1);
    for (const history of histories) expect(history).toEqual(histories[0]);
  });

  it('takes no second own key without the first one: its process can not sign', async () => {
    const [pem, other] = [newKey(), newKey()];
    await signingWith(pem).current();
    await expect(signingWith(other).current()).rejects.toThrow(
      `The audit key in AUDIT_KEY is not in the key history, whose newest key is ${keyIdIn(pem)}.`,
    );
  });

  it('is begun by command services alone', async () => {
    const pem = newKey();
    const { pool } = kit.opened.kit;
    const reading = auditSigning({ pool, source: settingKey(pem) });
    await expect(reading.current()).rejects.toThrow('The key history has not begun yet');
    await signingWith(pem).current();
    expect(idOf((await reading.current()).signer)).toBe(keyIdIn(pem));
  });

  it('can only grow by the rights of the service', async () => {
    await signingWith(newKey()).current();
    const { pool } = kit.opened.kit;
    for (const change of [
      "update operational.audit_keys set key_id = 'x'",
      'delete from operational.audit_keys',
      'truncate operational.audit_keys',
    ]) {
      await expect(pool.query(change)).rejects.toThrow('permission denied');
    }
  });
});

describe('a key in a file', () => {
  it('is used from its entry in the history on, wherever a rotation stops', async () => {
    const [old, next] = [newKey(), newKey()];
    const path = join(folder, 'key.pem');
    writeFileSync(path, old);
    const { pool } = kit.opened.kit;
    const beginning = { signingKey, isUpgraded: false };
    const signing = auditSigning({ pool, source: keyFile(path), beginning });
    const current = async () => idOf((await signing.current()).signer);
    expect(await current()).toBe(keyIdIn(old));

    writeFileSync(nextKeyFile(path), 'half a');
    expect(await current()).toBe(keyIdIn(old));
    writeFileSync(nextKeyFile(path), next);
    expect(await current()).toBe(keyIdIn(old));
    const entry = await signKeyEntry(signerOf(next), signerOf(old), new Date());
    expect(await appendKey(pool, 1, entry)).toBe(true);
    expect(await current()).toBe(keyIdIn(next));
    renameSync(nextKeyFile(path), path);
    expect(await current()).toBe(keyIdIn(next));
    // Another machine that still has the old one signs with a key of the history, too.
    expect(idOf((await signingWith(old).current()).signer)).toBe(keyIdIn(old));
    expect((await signingWith(old).current()).history).toHaveLength(1);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['missing', () => {}, /^There is no audit key in /],
    ['no key', (path) => writeFileSync(path, 'text'), /holds no Ed25519 private key/],
  ])('is reported when it is %s', async (_, prepare, expected) => {
    const path = join(folder, `${crypto.randomUUID()}.pem`);
    prepare(path);
    const { pool } = kit.opened.kit;
    await expect(auditSigning({ pool, source: keyFile(path) }).current()).rejects.toThrow(expected);
  });
});

describe('a key at an external signer', () => {
  it('is a key of the history by its version', async () => {
    await using peer = await startTransitPeer();
    const keys = transitKeys({ kind: 'transit', ...peer });
    const { pool } = kit.opened.kit;
    const beginning = { signingKey, isUpgraded: true };
    const signing = auditSigning({ pool, source: keys, beginning });
    const { signer, history } = await signing.current();
    expect(history.map(({ keyId }) => keyId)).toEqual([derivedId, idOf(signer)]);
    await keys.rotate();
    // A version that is in no history signs nothing.
    expect(idOf((await signing.current()).signer)).toBe(idOf(signer));
    const [newest] = await keys.signers();
    if (!newest) expect.fail('There is no version');
    await appendKey(pool, 2, await signKeyEntry(newest, signer, new Date()));
    expect(idOf((await signing.current()).signer)).toBe(idOf(newest));
  });
});
