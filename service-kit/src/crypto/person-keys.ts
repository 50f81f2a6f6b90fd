import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { SealedBox } from './sealed-box.ts';

const CACHED_MAX = 10_000;
/** Only for short texts: a caller's address is the same ciphertext in many events. */
const REVEALED_LENGTH_MAX = 400;
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Replaces a person's data when their key is destroyed. */
export const ERASED = 'erased';

export const personKeyContext = (personId: string) => `person-key ${personId}`;

/**
 * A person's text. The key (32 bytes, base64url) is that of this text alone: it shows to others that
 * the text is what was encrypted. Texts from before such keys have none.
 */
export type OpenedText = { readonly text: string; readonly key: string | null };

/** Reads the keys of personal data in events. */
export type PersonKeys = {
  /** Null if the person was erased. */
  keyOf(personId: string): Promise<Uint8Array | null>;
  /** From now on nothing of these is revealed here, whatever was known before. */
  forget(personIds: readonly string[]): void;
  /** After missed notifications about destroyed keys: all are looked up again. */
  lookAnew(): void;
  /** Null if the person was erased. */
  open(personId: string, text: Ciphertext): Promise<OpenedText | null>;
  /** The plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
};

export function personKeys(pool: pg.Pool, box: SealedBox): PersonKeys {
  const cache = new LRUCache<string, Uint8Array>({ max: CACHED_MAX });
  const asked = new Map<string, Promise<Uint8Array | null>>();
  const forgotten = new Set<string>();
  const opened = new LRUCache<string, OpenedText>({ max: CACHED_MAX });

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

  async function open(personId: string, text: Ciphertext) {
    const key = await keyOf(personId);
    if (!key) return null;
    const of = `${personId} ${text}`;
    const known = opened.get(of);
    if (known) return known;
    const plain = await decryptForPerson(key, text);
    if (of.length <= REVEALED_LENGTH_MAX && !forgotten.has(personId)) opened.set(of, plain);
    return plain;
  }

  return {
    keyOf,
    forget(personIds) {
      for (const id of personIds) {
        cache.delete(id);
        forgotten.add(id);
      }
      opened.clear();
    },
    lookAnew() {
      cache.clear();
      asked.clear();
      opened.clear();
    },
    open,
    reveal: async (personId, text) => (await open(personId, text))?.text ?? ERASED,
  };
}

/** The key of one text: it opens no other text of the person. */
const textKeyOf = (personKey: Uint8Array, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', personKey, salt, 'tallyhand text', KEY_BYTES));

/**
 * Encrypts personal data for an event: a compact JWE with its own key, derived from the person's key
 * (32 bytes) and a salt. `kid` is the salt and the SHA-256 of the key: no other key can be shown
 * later, with which the ciphertext would open to another text.
 */
export async function encryptForPerson(personKey: Uint8Array, text: string): Promise<Ciphertext> {
  const salt = randomBytes(SALT_BYTES);
  const key = textKeyOf(personKey, salt);
  const kid = Buffer.concat([salt, createHash('sha256').update(key).digest()]).toString(
    'base64url',
  );
  const jwe = await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
    .encrypt(key);
  return jwe as Ciphertext;
}

/** Honest to the byte: by default a decoder drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Throws an error with a `code` of jose when the key is another one, or the text no JWE. */
export async function decryptForPerson(key: Uint8Array, jwe: Ciphertext): Promise<OpenedText> {
  const { kid } = headerOf(jwe);
  // Until version 0.1.0 the person's own key encrypted each text.
  const salt = kid && Buffer.from(kid, 'base64url').subarray(0, SALT_BYTES);
  const textKey = salt ? textKeyOf(key, salt) : null;
  const { plaintext } = await compactDecrypt(jwe, textKey ?? key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return {
    text: utf8.decode(plaintext),
    key: textKey && Buffer.from(textKey).toString('base64url'),
  };
}

function headerOf(jwe: Ciphertext) {
  try {
    return decodeProtectedHeader(jwe);
  } catch {
    throw new errors.JWEInvalid('Invalid compact JWE');
  }
}
