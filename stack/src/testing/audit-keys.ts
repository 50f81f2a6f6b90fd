import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';

/** A key as settings of a process that is started. */
export function auditKeyEnvironment(key: AuditKeySettings): Record<string, string> {
  switch (key.kind) {
    case 'file':
      return { AUDIT_KEY_FILE: key.path };
    case 'setting':
      return { AUDIT_KEY: key.pem };
    case 'transit':
      return {
        AUDIT_VAULT_ADDRESS: key.address,
        AUDIT_VAULT_TOKEN: key.token,
        AUDIT_VAULT_MOUNT: key.mount,
        AUDIT_VAULT_KEY_NAME: key.name,
      };
  }
}

/** A new private key, as PEM. */
export const newAuditKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

export function writeAuditKey(path: string): AuditKeySettings {
  writeFileSync(path, newAuditKey(), { mode: 0o600 });
  chmodSync(path, 0o600);
  return { kind: 'file', path };
}
