import type pg from 'pg';
import { type KeyHistory, signKeyEntry } from '../audit-bundle/key-history.ts';
import { auditKeyFrom } from '../audit-bundle/keys.ts';
import { type AuditSigner, localSigner, SignerUnavailable } from '../audit-bundle/signer.ts';
import { appendKey, readKeyHistory } from './stored-history.ts';

/** The keys that a process can sign with. */
export type AuditKeySource = {
  /** The beginning of a sentence about them. */
  readonly where: string;
  /** At least one; a new history begins with the first. Throws SignerUnavailable. */
  signers(): Promise<readonly AuditSigner[]>;
};

export type CurrentSigner = {
  readonly signer: AuditSigner;
  /** Ends with the signer's key. */
  readonly history: KeyHistory;
};

export type AuditSigning = {
  /** The newest key of the history that this process can sign with. Throws SignerUnavailable. */
  current(): Promise<CurrentSigner>;
  history(): Promise<KeyHistory>;
};

type Parts = {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly source: AuditKeySource;
  /** Begins the history where it has not begun; without it, another process does. */
  readonly beginning?: Beginning;
};

export type Beginning = {
  readonly signingKey: string;
  /** The product has events from before this release, whose logs the derived key has signed. */
  readonly isUpgraded: boolean;
};

const rawOf = ({ publicKey }: AuditSigner) => publicKey.raw;

export function auditSigning({ pool, source, beginning }: Parts): AuditSigning {
  return {
    history: () => readKeyHistory(pool),
    async current() {
      const [signers, stored] = await Promise.all([source.signers(), readKeyHistory(pool)]);
      const history = beginning ? await begun(pool, stored, signers, beginning) : stored;
      for (const [index, entry] of [...history.entries()].toReversed()) {
        const signer = signers.find((each) => rawOf(each) === entry.publicKey);
        if (signer) return { signer, history: history.slice(0, index + 1) };
      }
      const newest = history.at(-1);
      throw new SignerUnavailable(
        newest
          ? `${source.where} is not in the key history, whose newest key is ${newest.keyId}.`
          : 'The key history has not begun yet: no command service has started.',
      );
    },
  };
}

/** The derived key, and the own one. */
const BEGINNING_KEYS_MAX = 2;

/** The history with a key of the source, if none but the derived key has signed so far. */
async function begun(
  pool: Pick<pg.Pool, 'query'>,
  stored: KeyHistory,
  [own]: readonly AuditSigner[],
  { signingKey, isUpgraded }: Beginning,
): Promise<KeyHistory> {
  const derived = localSigner(auditKeyFrom(signingKey));
  let history = stored;
  while (own && history.length < BEGINNING_KEYS_MAX) {
    const [first] = history;
    if (first && (first.publicKey !== rawOf(derived) || first.publicKey === rawOf(own))) break;
    const next = first || !isUpgraded ? own : derived;
    const entry = await signKeyEntry(next, first ? derived : null, new Date());
    await appendKey(pool, history.length, entry);
    // Perhaps with what another process has added at the same time.
    history = await readKeyHistory(pool);
  }
  return history;
}
