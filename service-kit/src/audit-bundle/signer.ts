import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { publicKeyOf } from './keys.ts';
import type { PublicKey } from './public-key.ts';

/** Signs audit logs with an Ed25519 key, which may be out of the product's reach. */
export type AuditSigner = {
  readonly publicKey: PublicKey;
  /** The 64 bytes of the signature of a text. Throws SignerUnavailable. */
  sign(text: string): Promise<Buffer>;
};

/** Nothing can be signed at the moment. The message is for the operator and holds no secret. */
export class SignerUnavailable extends Error {}

export const localSigner = (key: KeyObject): AuditSigner => ({
  publicKey: publicKeyOf(key),
  sign: async (text) => sign(null, Buffer.from(text), key),
});

/** Reads an Ed25519 private key (PEM, PKCS #8); null when it is none. */
export function readPrivateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}
