import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { CompactEncrypt, compactDecrypt } from 'jose';

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
