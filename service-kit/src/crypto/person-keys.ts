import { createCipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { opened, sha256 } from '../platform/node.ts';
import { SEALED_LENGTHS } from '../platform/platform.ts';
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
  clearCache(): void;
  /** Null if the person was erased. */
  open(personId: string, text: Ciphertext): Promise<OpenedText | null>;
  /** The plain text, or `erased`. */
  reveal(personId: string, text: Ciphertext): Promise<string>;
};

export function personKeys(pool: pg.Pool, box: SealedBox): PersonKeys {
  const cache = new LRUCache<string, Uint8Array>({ max: CACHED_MAX });
  const asked = new Map<string, Promise<Uint8Array | null>>();
  const forgotten = new Set<string>();
  const texts = new LRUCache<string, OpenedText>({ max: CACHED_MAX });

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
    const known = texts.get(of);
    if (known) return known;
    const plain = decryptForPerson(key, text);
    if (of.length <= REVEALED_LENGTH_MAX && !forgotten.has(personId)) texts.set(of, plain);
    return plain;
  }

  return {
    keyOf,
    forget(personIds) {
      for (const id of personIds) {
        cache.delete(id);
        forgotten.add(id);
      }
      texts.clear();
    },
    clearCache() {
      cache.clear();
      asked.clear();
      texts.clear();
    },
    open,
    reveal: async (personId, text) => (await open(personId, text))?.text ?? ERASED,
  };
}

/** The key of one text: it opens no other text of the person. */
const textKeyOf = (personKey: Uint8Array, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', createSecretKey(personKey), salt, 'tallyhand text', KEY_BYTES));

/** The header of a compact JWE (RFC 7516) under a key that both sides know. */
const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;
const { iv: IV_BYTES, tag: TAG_BYTES } = SEALED_LENGTHS;

/**
 * Encrypts personal data for an event: a compact JWE with its own key, derived from the person's key
 * (32 bytes) and a salt. `kid` is the salt and the SHA-256 of the key: no other key can be shown
 * later, with which the ciphertext would open to another text. The texts are short: handing them to
 * the thread pool, as WebCrypto does, would take longer than encrypting them.
 */
export function encryptForPerson(personKey: Uint8Array, text: string): Ciphertext {
  const salt = randomBytes(SALT_BYTES);
  const key = textKeyOf(personKey, salt);
  const kid = Buffer.concat([salt, sha256(key)]).toString('base64url');
  const header = Buffer.from(JSON.stringify({ ...HEADER, kid })).toString('base64url');
  const iv = randomBytes(IV_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), iv, options);
  cipher.setAAD(Buffer.from(header));
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [iv, content, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [header, '', ...parts].join('.') as Ciphertext;
}

/** No key of this person opens the text, or it is no ciphertext. */
export class UnreadableText extends Error {}

/** Honest to the byte: by default a decoder drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Throws UnreadableText. */
export function decryptForPerson(personKey: Uint8Array, jwe: Ciphertext): OpenedText {
  const [header = '', encrypted, ...parts] = jwe.split('.');
  const [iv, content, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (encrypted !== '' || !iv || !content || !tag || parts.length > 3) {
    throw new UnreadableText('This is no compact JWE');
  }
  const kid = kidOf(header);
  // Until version 0.1.0 the person's own key encrypted each text.
  const key = kid === null ? null : textKeyOf(personKey, kid.subarray(0, SALT_BYTES));
  const sealed = { key: Buffer.from(key ?? personKey), iv, content, tag };
  const plain = opened({ ...sealed, also: Buffer.from(header) });
  if (!plain) throw new UnreadableText('The key is that of another text');
  return { text: utf8.decode(plain), key: key && Buffer.from(key).toString('base64url') };
}

function kidOf(header: string): Buffer | null {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(Buffer.from(header, 'base64url').toString());
  } catch {
    throw new UnreadableText('The header is no JSON');
  }
  if (fields.alg !== HEADER.alg || fields.enc !== HEADER.enc) {
    throw new UnreadableText('It is encrypted in another way');
  }
  return typeof fields.kid === 'string' ? Buffer.from(fields.kid, 'base64url') : null;
}
