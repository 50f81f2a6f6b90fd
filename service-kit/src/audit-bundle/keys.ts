import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type PublicKey, publicKeyOfBytes } from './public-key.ts';

/** The prefix of an Ed25519 private key of 32 bytes in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

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

/** The public key of an Ed25519 key, which may be the private one. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return publicKeyOfBytes(Buffer.from(x, 'base64url'));
}
