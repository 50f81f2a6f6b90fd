import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readEarlierHead } from './earlier-head.ts';
import { historyFaults, type KeyEntry, type KeyHistory } from './key-history.ts';
import { manifestFile, signManifest } from './manifest.ts';
import { localSigner } from './signer.ts';
import {
  archiveOf,
  type Contents,
  checkpointOf,
  historyOf,
  sampleBundle,
  sampleRow,
} from './testing/sample-bundle.ts';
import { readTrustedKeys, type TrustedKeys } from './trusted-keys.ts';
import { verifyBundle } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'trusted-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newSigner = () => localSigner(generateKeyPairSync('ed25519').privateKey);
const [first, second, third] = [newSigner(), newSigner(), newSigner()];
const [firstId, secondId, thirdId] = [first, second, third].map(({ publicKey }) => publicKey.keyId);
const whole = await historyOf([first, second, third]);
const toSecond = whole.slice(0, 2);
const rows = Array.from({ length: 20 }, (_, at) => sampleRow(at + 1));
const export3 = await sampleBundle({ size: 20, signer: third, keyHistory: whole });

async function verify(contents: Contents, trusted: TrustedKeys | null, since?: unknown) {
  const file = join(folder, 'export.zip');
  writeFileSync(file, archiveOf(contents));
  if (since === undefined) return verifyBundle(file, trusted);
  const earlier = join(folder, 'earlier.json');
  writeFileSync(earlier, JSON.stringify(since));
  return verifyBundle(file, trusted, { since: await readEarlierHead(earlier) });
}

/** Signed by the newest key, with another key history. */
async function withHistory(keyHistory: KeyHistory): Promise<Contents> {
  const manifest = JSON.parse(String(export3['manifest.json']));
  const bytes = Buffer.from(manifestFile({ ...manifest, keyHistory }));
  const signature = Buffer.from(await signManifest(third, bytes));
  return { ...export3, 'manifest.json': bytes, 'manifest.sig': signature };
}

/** An export of a release without key histories. */
async function ofFormat1(): Promise<Contents> {
  const manifest = JSON.parse(String(export3['manifest.json']));
  const { keyHistory: _, ...rest } = manifest;
  const bytes = Buffer.from(manifestFile({ ...rest, formatVersion: 1 }));
  const signature = Buffer.from(await signManifest(third, bytes));
  return { ...export3, 'manifest.json': bytes, 'manifest.sig': signature };
}

describe('an export of a product whose key was replaced', () => {
  it('passes with an older key, and names the keys between', async () => {
    const { isWell, lines } = await verify(export3, first.publicKey);
    expect([isWell, lines.at(-1)]).toEqual([
      true,
      `Signed with the key ${thirdId}. It follows from the key ${firstId} that you gave: ` +
        `each signed the next (${firstId}, ${secondId}, ${thirdId}).`,
    ]);
  });

  it('passes with the key that signed it', async () => {
    const { lines } = await verify(export3, third.publicKey);
    expect(lines.at(-1)).toBe(`Signed with the key ${thirdId}.`);
  });

  it.each<[string, KeyHistory, string]>([
    ['the key history', whole, `Signed with the key ${thirdId} of the key history.`],
    ['an older key history', toSecond, `each signed the next (${secondId}, ${thirdId}).`],
  ])('passes with %s', async (_, given, expected) => {
    const trusted = readTrustedKeys(JSON.stringify({ keys: given }));
    const { isWell, lines } = await verify(export3, trusted);
    expect([isWell, lines.at(-1)]).toEqual([true, expect.stringContaining(expected)]);
  });

  it('passes when an older key signed it, and reports what replaced that key', async () => {
    const export2 = await sampleBundle({ size: 20, signer: second, keyHistory: toSecond });
    const { isWell, lines } = await verify(export2, whole);
    expect([isWell, lines.at(-1)]).toEqual([
      true,
      `Signed with the key ${secondId} of the key history, which the key ${thirdId} replaced on ` +
        `${whole[2]?.since}.`,
    ]);
  });

  it('passes as an export of a release without key histories', async () => {
    for (const trusted of [third.publicKey, whole]) {
      expect((await verify(await ofFormat1(), trusted)).isWell).toBe(true);
    }
    const { lines } = await verify(await ofFormat1(), first.publicKey);
    expect(lines).toContain(`manifest.sig is signed with the key ${thirdId}, not with ${firstId}.`);
  });

  it('is compared with a checkpoint that an older key signed', async () => {
    const since = await checkpointOf(rows.slice(0, 9), first);
    const { isWell, lines } = await verify(export3, first.publicKey, since);
    expect([isWell, lines.at(-1)]).toEqual([
      true,
      'The log begins with the 9 rows of the earlier checkpoint.',
    ]);
    const stranger = await checkpointOf(rows.slice(0, 9), newSigner());
    expect((await verify(export3, first.publicKey, stranger)).lines).toEqual([
      `The earlier checkpoint that you gave is not signed with the key ${thirdId}.`,
    ]);
  });
});

describe('an export whose keys are not linked', () => {
  const [one, two, three] = whole as [KeyEntry, KeyEntry, KeyEntry];
  const forged = Buffer.alloc(64, 1).toString('base64');

  it.each<[string, KeyHistory, string]>([
    [
      'by a forged link',
      [one, { ...two, previousSignature: forged }, three],
      `The key ${secondId} in the key history of manifest.json is not signed by the key ${firstId} before it.`,
    ],
    [
      'by the new key itself',
      [one, two, { ...three, signature: forged }],
      `The key ${thirdId} in the key history of manifest.json is not signed by itself.`,
    ],
    [
      'because one is left out',
      [one, three],
      `The key ${thirdId} in the key history of manifest.json does not follow on the key ${firstId}.`,
    ],
    [
      'because the first ones are left out',
      [two, three],
      `The key ${secondId} in the key history of manifest.json is not the first one.`,
    ],
    [
      'with another time',
      [one, { ...two, since: '2020-01-01T00:00:00.000Z' }, three],
      `The key ${secondId} in the key history of manifest.json is not signed by itself.`,
    ],
    [
      'under their own ids',
      [{ ...one, keyId: secondId ?? '' }, two, three],
      `The key ${secondId} in the key history of manifest.json has another id than its key.`,
    ],
  ])('is refused %s', async (_, history, expected) => {
    const { isWell, lines } = await verify(await withHistory(history), first.publicKey);
    expect([isWell, lines]).toEqual([false, expect.arrayContaining([expected])]);
    expect(historyFaults(history, 'the key history of manifest.json')[0]).toBe(expected);
  });

  it('is refused when its key was not the newest of its history', async () => {
    const contents = await sampleBundle({ size: 20, signer: second, keyHistory: whole });
    expect((await verify(contents, first.publicKey)).lines).toContain(
      `manifest.json names a signing key that is not the newest of its key history, ${thirdId}.`,
    );
  });

  it('is refused when the history does not lead from the given key', async () => {
    const stranger = newSigner().publicKey;
    const { isWell, lines } = await verify(export3, stranger);
    const { keyId } = stranger;
    expect([isWell, lines]).toEqual([
      false,
      expect.arrayContaining([
        `The key history in manifest.json does not lead from the key ${keyId} to ${thirdId}.`,
        `manifest.sig is signed with the key ${thirdId}, not with ${keyId}.`,
      ]),
    ]);
  });

  it('is refused when its key is of another history than the given one', async () => {
    const thief = newSigner();
    const keyHistory = await historyOf([first, thief]);
    const contents = await sampleBundle({ size: 20, signer: thief, keyHistory });
    const { keyId } = thief.publicKey;
    expect((await verify(contents, whole)).lines).toEqual(
      expect.arrayContaining([
        `The key history in manifest.json is another one than yours: its key 2 is ${keyId}, and yours is ${secondId}.`,
        `The key ${keyId} is not in the key history that you gave.`,
      ]),
    );
  });

  it('is refused with a given history that is forged itself', async () => {
    const given = [one, { ...two, previousSignature: forged }, three];
    expect((await verify(export3, given)).lines).toEqual([
      `The key ${secondId} in the key history that you gave is not signed by the key ${firstId} before it.`,
    ]);
  });
});

describe('what an auditor has of keys', () => {
  it('is a key or a history, and nothing else', () => {
    expect(readTrustedKeys(first.publicKey.raw)).toEqual(first.publicKey);
    expect(readTrustedKeys(JSON.stringify({ keys: whole }))).toHaveLength(3);
    for (const text of ['', '{}', '{"keys":[]}', '[]', 'x', JSON.stringify(whole)]) {
      expect(readTrustedKeys(text), text).toBeNull();
    }
  });
});
