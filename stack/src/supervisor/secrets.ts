import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '@tallyhand/event-store/access/write-whole';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import { z } from 'zod';

const Secret = z.string().min(32);
export const Secrets = z.object({
  masterKey: Secret,
  signingKey: Secret,
  internalToken: Secret,
  postgresPassword: Secret,
});

/** Each is 32 random bytes in base64url. */
export type Secrets = z.infer<typeof Secrets>;

/** Reads the secrets of a data folder, or makes them (mode 0600) when the folder is new. */
export function ensureSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  if (existsSync(file)) return readSecrets(dataDir);
  // New keys could neither open the database nor read the vault of old data.
  const traces = ['event-store', join('postgres', 'cluster'), join('postgres', 'location')];
  if (traces.some((name) => existsSync(join(dataDir, name)))) {
    throw new Error(`${file} is missing, and the data beside it can't be read without it.`);
  }
  const secrets = makeSecrets();
  writeSecrets(dataDir, secrets);
  return secrets;
}

/** The key that signs audit logs. */
export const auditKeyFile = (dataDir: string): string => join(dataDir, 'audit-key.pem');

/** Makes the key that signs audit logs, unless the data folder has one. */
export function ensureAuditKey(dataDir: string): void {
  if (!existsSync(auditKeyFile(dataDir))) writeWhole(auditKeyFile(dataDir), makeAuditKey());
}

/**
 * The key in PEM. Undefined if an external signer keeps it, or it has not been made yet. Without
 * settings it is in the data folder.
 */
export function readAuditKey({
  auditKey,
  dataDir,
}: {
  readonly auditKey: AuditKeySettings | undefined;
  readonly dataDir: string;
}): string | undefined {
  if (auditKey?.kind === 'setting') return auditKey.pem;
  if (auditKey?.kind === 'transit') return undefined;
  const path = auditKey?.path ?? auditKeyFile(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** PEM, PKCS #8. */
export const makeAuditKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

export function makeSecrets(): Secrets {
  const make = () => randomBytes(32).toString('base64url');
  return {
    masterKey: make(),
    signingKey: make(),
    internalToken: make(),
    postgresPassword: make(),
  };
}

/** Whole or not at all, mode 0600. */
export function writeSecrets(dataDir: string, secrets: Secrets): void {
  writeWhole(join(dataDir, 'secrets.json'), `${JSON.stringify(secrets, null, 2)}\n`);
}

/** The secrets of a data folder that has some. */
export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  try {
    return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Nothing of the content is repeated, and nothing is overwritten.
    throw new Error(`${file} is damaged or can't be read: put it back from a backup.`);
  }
}
