import { Instant } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import { type PublicKey, readPublicKey } from './public-key.ts';
import { base64, isSignedBy, textOf } from './signed-text.ts';
import type { AuditSigner } from './signer.ts';

const ORIGIN = 'tallyhand audit key';
const NO_KEY = 'none';
/** A manifest with so many is still far below its limit. */
const KEYS_MAX = 1_000;

/** A key that signs audit logs, signed by itself and by the key that it replaced. */
export const KeyEntry = z.strictObject({
  keyId: z.string(),
  publicKey: base64(32),
  /** When it replaced the previous key, or the history began. */
  since: Instant,
  previous: z.string().nullable(),
  /** By this key. */
  signature: base64(64),
  /** By the previous key; null for the first one. */
  previousSignature: base64(64).nullable(),
});
export type KeyEntry = z.infer<typeof KeyEntry>;

/** All keys in their order, the newest last. */
export const KeyHistory = z.array(KeyEntry).min(1).max(KEYS_MAX).readonly();
export type KeyHistory = z.infer<typeof KeyHistory>;

/** The published file. */
export const KeyHistoryFile = z.strictObject({ keys: KeyHistory });

/** The text that both keys sign. */
export const keyText = ({
  keyId,
  publicKey,
  since,
  previous,
}: Pick<KeyEntry, 'keyId' | 'publicKey' | 'since' | 'previous'>): string =>
  textOf([ORIGIN, keyId, publicKey, since, previous ?? NO_KEY]);

/** The entry of a key that follows on `previous`, or begins a history. Throws SignerUnavailable. */
export async function signKeyEntry(
  next: AuditSigner,
  previous: AuditSigner | null,
  since: Date,
): Promise<KeyEntry> {
  const { keyId, raw: publicKey } = next.publicKey;
  const claim = {
    keyId,
    publicKey,
    since: since.toISOString(),
    previous: previous?.publicKey.keyId ?? null,
  };
  const signed = async (signer: AuditSigner) =>
    (await signer.sign(keyText(claim))).toString('base64');
  const previousSignature = previous && (await signed(previous));
  return { ...claim, signature: await signed(next), previousSignature };
}

/** The keys of a history; those that are none are left out. */
export const keysOf = (history: KeyHistory): readonly PublicKey[] =>
  history.flatMap(({ publicKey }) => readPublicKey(publicKey) ?? []);

/** A sentence for each entry that is not signed as it must be; `name`: of the history. */
export function historyFaults(history: KeyHistory, name: string): readonly string[] {
  return history.flatMap((entry, index) => {
    const fault = entryFault(entry, history[index - 1] ?? null);
    return fault === null ? [] : [`The key ${entry.keyId} in ${name} ${fault}.`];
  });
}

function entryFault(entry: KeyEntry, previous: KeyEntry | null): string | null {
  const key = readPublicKey(entry.publicKey);
  if (key?.keyId !== entry.keyId) return 'has another id than its key';
  const text = keyText(entry);
  if (!isSignedBy(key, text, entry.signature)) return 'is not signed by itself';
  if (entry.previous !== (previous?.keyId ?? null)) {
    return previous ? `does not follow on the key ${previous.keyId}` : 'is not the first one';
  }
  if (previous === null) {
    return entry.previousSignature === null ? null : 'is the first one and names a previous one';
  }
  const previousKey = readPublicKey(previous.publicKey);
  const isLinked =
    previousKey !== null &&
    entry.previousSignature !== null &&
    isSignedBy(previousKey, text, entry.previousSignature);
  return isLinked ? null : `is not signed by the key ${previous.keyId} before it`;
}
