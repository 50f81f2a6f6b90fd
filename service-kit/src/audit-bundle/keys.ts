import {
  createPrivateKey,
  createPublicKey,
  hash,
  hkdfSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';

/** The prefix of an Ed25519 private key of 32 bytes in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/** The key that signs audit logs, derived from the secret that all signatures of the product use. */
export function auditKeyFrom(signingKey: string): KeyObject {
  const secret = Buffer.from(signingKey, 'base64url');
  const purpose = 'tallyhand audit log signature';
  const seed = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, KEY_BYTES));
  return createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
}

/** A public key in the forms in which it is published. */
export type PublishedKey = {
  /** The first 8 bytes (hex) of the SHA-256 of the key's 32 bytes. */
  readonly keyId: string;
  /** The key's 32 bytes as base64. */
  readonly raw: string;
  readonly pem: string;
  readonly jwk: JsonWebKey;
};

/** Accepts the private key too. */
export function publishedKey(key: KeyObject): PublishedKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const jwk = publicKey.export({ format: 'jwk' });
  const raw = Buffer.from(jwk.x ?? '', 'base64url');
  return {
    keyId: hash('sha256', raw, 'buffer').toString('hex', 0, KEY_ID_BYTES),
    raw: raw.toString('base64'),
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    jwk: { ...jwk, alg: 'EdDSA', use: 'sig' },
  };
}

/** Reads a public key in any of the forms in which it is published; null when it is none. */
export function readPublicKey(text: string): KeyObject | null {
  try {
    const key = createPublicKey(keyInput(text.trim()));
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function keyInput(text: string): Parameters<typeof createPublicKey>[0] {
  if (text.startsWith('-----BEGIN PUBLIC KEY-----')) return text;
  if (text.startsWith('{')) return { key: JSON.parse(text), format: 'jwk' };
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) throw new Error('Not 32 bytes as base64');
  const x = Buffer.from(text, 'base64').toString('base64url');
  return { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' };
}
