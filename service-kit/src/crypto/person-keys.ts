import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { SealedBox } from './sealed-box.ts';

const CACHED_MAX = 10_000;
/** Only for short texts: a caller's address is the same ciphertext in many events. */
const REVEALED_LENGTH_MAX = 400;

/** Replaces a person's data when their key is destroyed. */
export const ERASED = 'erased';

export const personKeyContext = (personId: string) => `person-key ${personId}`;

/** Reads the keys of personal data in events. */
export type PersonKeys = {
  /** Null if the person was erased. */
  keyOf(personId: string): Promise<Uint8Array | null>;
  /** From now on nothing of these is revealed here, whatever was known before. */
  forget(personIds: readonly string[]): void;
  /** After missed notifications about destroyed keys: all are looked up again. */
  lookAnew(): void;
  /** The plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
};

export function personKeys(pool: pg.Pool, box: SealedBox): PersonKeys {
  const cache = new LRUCache<string, Uint8Array>({ max: CACHED_MAX });
  const asked = new Map<string, Promise<Uint8Array | null>>();
  const forgotten = new Set<string>();
  const revealed = new LRUCache<string, string>({ max: CACHED_MAX });

  async function keyOf(personId: string) {
    if (forgotten.has(personId)) return null;
    const cached = cache.get(personId);
    if (cached) return cached;
    const underWay = asked.get(personId);
    if (underWay) {
      const joined = await underWay;
      if (forgotten.has(personId)) return null;
      // A missing key may have been created since.
      if (joined) return joined;
    }
    const reading = read(personId);
    asked.set(personId, reading);
    try {
      const key = await reading;
      if (forgotten.has(personId)) return null;
      // The result of a look-up that started before is not cached.
      if (key && asked.get(personId) === reading) cache.set(personId, key);
      return key;
    } finally {
      if (asked.get(personId) === reading) asked.delete(personId);
    }
  }

  async function read(personId: string): Promise<Uint8Array | null> {
    const { rows } = await pool.query<{ sealed: Buffer | null }>(
      'select sealed from operational.person_keys where person_id = $1',
      [personId],
    );
    const [row] = rows;
    // A key that was destroyed never comes back; one that is missing may come yet.
    if (row && !row.sealed) forgotten.add(personId);
    return row?.sealed ? new Uint8Array(box.open(row.sealed, personKeyContext(personId))) : null;
  }

  return {
    keyOf,
    forget(personIds) {
      for (const id of personIds) {
        cache.delete(id);
        forgotten.add(id);
      }
      revealed.clear();
    },
    lookAnew() {
      cache.clear();
      asked.clear();
      revealed.clear();
    },
    async reveal(personId, text) {
      const key = await keyOf(personId);
      if (!key) return ERASED;
      const of = `${personId} ${text}`;
      const known = revealed.get(of);
      if (known !== undefined) return known;
      const plain = await decryptForPerson(key, text);
      if (of.length <= REVEALED_LENGTH_MAX && !forgotten.has(personId)) revealed.set(of, plain);
      return plain;
    },
  };
}

/** Encrypts personal data for an event: a compact JWE under the person's own key (32 bytes). */
export async function encryptForPerson(key: Uint8Array, text: string): Promise<Ciphertext> {
  const jwe = await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key);
  return jwe as Ciphertext;
}

/** Throws when the key is another one. */
export async function decryptForPerson(key: Uint8Array, jwe: Ciphertext): Promise<string> {
  const { plaintext } = await compactDecrypt(jwe, key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder().decode(plaintext);
}
