import { randomBytes, scryptSync } from 'node:crypto';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { z } from 'zod';
import { Secrets } from '../supervisor/secrets.ts';

const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** A few tenths of a second and 128 MB for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

/** Also the key that signs audit logs; backups of earlier releases have none. */
const BackedUpSecrets = Secrets.extend({ auditKeyPem: z.string().optional() });
export type BackedUpSecrets = z.infer<typeof BackedUpSecrets>;

const Sealed = z.strictObject({ salt: z.base64(), sealed: z.base64() });

const boxOf = (passphrase: string, salt: Buffer) =>
  sealedBox(scryptSync(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST).toString('base64url'));

const contextOf = (manifestHash: string) => `secrets of the backup ${manifestHash}`;

/** Bound to the manifest: without the passphrase, a backup cannot be changed unnoticed. */
export function sealSecrets(
  secrets: BackedUpSecrets,
  passphrase: string,
  manifestHash: string,
): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const plain = Buffer.from(JSON.stringify(secrets));
  const sealed = boxOf(passphrase, salt).seal(plain, contextOf(manifestHash)).toString('base64');
  return Buffer.from(`${JSON.stringify({ salt: salt.toString('base64'), sealed })}\n`);
}

/** Null if the passphrase is wrong, or the backup was changed without it. */
export function openSecrets(
  contents: Buffer,
  passphrase: string,
  manifestHash: string,
): BackedUpSecrets | null {
  try {
    const { salt, sealed } = Sealed.parse(JSON.parse(contents.toString()));
    const box = boxOf(passphrase, Buffer.from(salt, 'base64'));
    const plain = box.open(Buffer.from(sealed, 'base64'), contextOf(manifestHash));
    return BackedUpSecrets.parse(JSON.parse(plain.toString()));
  } catch {
    return null;
  }
}
