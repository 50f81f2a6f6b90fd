import { readFile } from 'node:fs/promises';
import {
  type AuditSigner,
  localSigner,
  readPrivateKey,
  SignerUnavailable,
} from '../audit-bundle/signer.ts';
import type { AuditKeySource } from './signing.ts';

/** Beside the key: the next one, from before it enters the history until it replaces the key. */
export const nextKeyFile = (path: string): string => `${path}.next`;

/** The file is read for each signature, so that a new key is used without a restart. */
export const keyFile = (path: string): AuditKeySource => ({
  where: `The audit key in ${path}`,
  async signers() {
    // A next one that can't be read is in no history yet.
    const next = await signerIn(nextKeyFile(path)).catch(() => null);
    const current = await signerIn(path);
    if (current) return next ? [current, next] : [current];
    throw new SignerUnavailable(`There is no audit key in ${path}: put it back from a backup.`);
  },
});

export const settingKey = (pem: string): AuditKeySource => ({
  where: 'The audit key in AUDIT_KEY',
  async signers() {
    return [signerOf(pem, 'AUDIT_KEY')];
  },
});

/** Null if there is no such file. */
async function signerIn(path: string): Promise<AuditSigner | null> {
  const pem = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new SignerUnavailable(`The audit key in ${path} can't be read (${error.code}).`);
  });
  return pem === null ? null : signerOf(pem, path);
}

function signerOf(pem: string, where: string): AuditSigner {
  const key = readPrivateKey(pem);
  if (key) return localSigner(key);
  throw new SignerUnavailable(`${where} holds no Ed25519 private key (PEM, PKCS #8).`);
}
