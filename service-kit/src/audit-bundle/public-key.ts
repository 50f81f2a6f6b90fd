import { sha256 } from '../platform/node.ts';

/** An Ed25519 key that signs audit logs. */
export type PublicKey = {
  /** The first 8 bytes (hex) of the SHA-256 of the key's 32 bytes. */
  readonly keyId: string;
  /** The key's 32 bytes as base64. */
  readonly raw: string;
};

/** A public key in the forms in which it is published. */
export type PublishedKey = PublicKey & {
  readonly pem: string;
  readonly jwk: Readonly<Record<string, string>>;
};

const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
/** The prefix of the 32 bytes of an Ed25519 public key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PEM = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

export function publicKeyOfBytes(bytes: Buffer): PublicKey {
  if (bytes.length !== KEY_BYTES) throw new Error('An Ed25519 key has 32 bytes');
  return {
    keyId: sha256(bytes).toString('hex', 0, KEY_ID_BYTES),
    raw: bytes.toString('base64'),
  };
}

export function publishedKey({ keyId, raw }: PublicKey): PublishedKey {
  const der = Buffer.concat([SPKI_PREFIX, Buffer.from(raw, 'base64')]).toString('base64');
  const x = raw.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  return {
    keyId,
    raw,
    pem: `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`,
    jwk: { crv: 'Ed25519', x, kty: 'OKP', alg: 'EdDSA', use: 'sig' },
  };
}

/** Reads a public key in any of the forms in which it is published; null when it is none. */
export function readPublicKey(text: string): PublicKey | null {
  try {
    return publicKeyOfBytes(bytesIn(text.trim()));
  } catch {
    return null;
  }
}

function bytesIn(text: string): Buffer {
  const [, pem] = PEM.exec(text) ?? [];
  if (pem !== undefined) {
    const der = Buffer.from(pem, 'base64');
    if (!der.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)) throw new Error('Another kind');
    return der.subarray(SPKI_PREFIX.length);
  }
  if (!text.startsWith('{')) return bytesOfBase64(text);
  const { kty, crv, x } = JSON.parse(text);
  if (kty !== 'OKP' || crv !== 'Ed25519') throw new Error('Another kind');
  return bytesOfBase64(String(x));
}

/** As base64 or base64url. */
function bytesOfBase64(text: string): Buffer {
  if (!BASE64.test(text)) throw new Error('Not 32 bytes as base64');
  return Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
}
