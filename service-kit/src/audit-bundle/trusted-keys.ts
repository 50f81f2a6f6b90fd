import { historyFaults, type KeyHistory, KeyHistoryFile, keysOf, keyText } from './key-history.ts';
import { MANIFEST_FILE, type Manifest } from './manifest.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';

/** What an auditor knows from elsewhere: a published key, or the published history of all. */
export type TrustedKeys = PublicKey | KeyHistory;

export const isHistory = (trusted: TrustedKeys): trusted is KeyHistory => Array.isArray(trusted);

/** Reads a public key as published, or a downloaded key history; null when it is neither. */
export function readTrustedKeys(text: string): TrustedKeys | null {
  try {
    const file = KeyHistoryFile.safeParse(JSON.parse(text));
    if (file.success) return file.data.keys;
  } catch {
    // PEM and base64 are no JSON.
  }
  return readPublicKey(text);
}

export type SigningKey = {
  readonly key: PublicKey;
  /** With its predecessors, any of which may have signed an earlier checkpoint. */
  readonly keys: readonly PublicKey[];
  /** A sentence about the key, and why it is trusted. */
  readonly summary: string;
};

/**
 * The key that an export must be signed with. Without trusted keys it is the one that the export
 * names. Null if there is none.
 */
export function signingKeyOf(
  { publicKey, keyHistory }: Manifest,
  trusted: TrustedKeys | null,
  faults: string[],
): SigningKey | null {
  const named = readPublicKey(publicKey);
  if (!named) {
    faults.push(`${MANIFEST_FILE} names a public key that is none.`);
    return null;
  }
  const isHistoryWell = keyHistory !== undefined && checkOwn(keyHistory, publicKey, faults);
  const { keyId } = named;
  const keys = keyHistory ? keysOf(keyHistory) : [named];
  const signedWith = `Signed with the key ${keyId}`;
  if (trusted === null) {
    return {
      key: named,
      keys,
      summary: `${signedWith}, which the export itself names. Give --key to be sure whose it is.`,
    };
  }
  if (isHistory(trusted)) {
    faults.push(...historyFaults(trusted, 'the key history that you gave'));
    faults.push(...differences(keyHistory ?? [], trusted));
    const at = trusted.findIndex((entry) => entry.publicKey === publicKey);
    const [newest, replaced] = [trusted.at(-1), trusted[at + 1]];
    if (at < 0 && (!keyHistory || !newest || keyHistory.length <= trusted.length)) {
      faults.push(`The key ${keyId} is not in the key history that you gave.`);
    }
    const known = [...keys, ...keysOf(trusted)];
    if (at < 0) {
      const summary = `${signedWith}. ${chainSentence(newest?.keyId ?? '', keyHistory ?? [])}`;
      return { key: named, keys: known, summary };
    }
    const end = replaced ? `, which the key ${replaced.keyId} replaced on ${replaced.since}.` : '.';
    return { key: named, keys: known, summary: `${signedWith} of the key history${end}` };
  }
  if (trusted.raw === publicKey) return { key: named, keys, summary: `${signedWith}.` };
  if (isHistoryWell && keyHistory.some((entry) => entry.publicKey === trusted.raw)) {
    const summary = `${signedWith}. ${chainSentence(trusted.keyId, keyHistory)}`;
    return { key: named, keys, summary };
  }
  // Of a history of one key, the signature says the same.
  if (keyHistory && keyHistory.length > 1) {
    faults.push(
      `The key history in ${MANIFEST_FILE} does not lead from the key ${trusted.keyId} to ${keyId}.`,
    );
  }
  return { key: trusted, keys: [trusted], summary: '' };
}

/** Whether each key of the history of an export is signed, and the newest signs the export. */
function checkOwn(history: KeyHistory, publicKey: string, faults: string[]): boolean {
  const own = [...historyFaults(history, `the key history of ${MANIFEST_FILE}`)];
  const newest = history.at(-1);
  if (newest?.publicKey !== publicKey) {
    own.push(
      `${MANIFEST_FILE} names a signing key that is not the newest of its key history, ${newest?.keyId}.`,
    );
  }
  faults.push(...own);
  return own.length === 0;
}

/** Both are one history as far as both reach. */
function differences(inManifest: KeyHistory, given: KeyHistory): readonly string[] {
  const at = inManifest.findIndex((entry, index) => {
    const other = given[index];
    return other !== undefined && keyText(other) !== keyText(entry);
  });
  const [entry, other] = [inManifest[at], given[at]];
  if (!entry || !other) return [];
  return [
    `The key history in ${MANIFEST_FILE} is another one than yours: its key ${at + 1} is ` +
      `${entry.keyId}, and yours is ${other.keyId}.`,
  ];
}

/** How the signing key follows from a key that the auditor has. */
function chainSentence(givenId: string, history: KeyHistory): string {
  const from = history.findIndex(({ keyId }) => keyId === givenId);
  const ids = history.slice(from).map(({ keyId }) => keyId);
  return `It follows from the key ${givenId} that you gave: each signed the next (${ids.join(', ')}).`;
}
