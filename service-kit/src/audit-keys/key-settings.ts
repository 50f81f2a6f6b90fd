import { type Settings, SettingsError } from '../settings.ts';
import { keyFile, settingKey } from './local-keys.ts';
import type { AuditKeySource } from './signing.ts';
import { type TransitSettings, transitKeys } from './transit-keys.ts';

/** Where the private key is that signs audit logs. */
export type AuditKeySettings =
  /** A PEM file, which is read again when it changes. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'setting'; readonly pem: string }
  /** The transit engine of HashiCorp Vault or OpenBao, which keeps the key. */
  | TransitSettings;

const MOUNT = 'transit';

/** From settings that were checked; null if none is there. */
export function auditKeySettings(settings: Settings): AuditKeySettings | null {
  const { AUDIT_KEY, AUDIT_KEY_FILE, AUDIT_VAULT_ADDRESS, AUDIT_VAULT_KEY_NAME } = settings;
  if (AUDIT_VAULT_ADDRESS) {
    return {
      kind: 'transit',
      address: AUDIT_VAULT_ADDRESS,
      token: settings.AUDIT_VAULT_TOKEN ?? '',
      mount: settings.AUDIT_VAULT_MOUNT ?? MOUNT,
      name: AUDIT_VAULT_KEY_NAME ?? '',
    };
  }
  if (AUDIT_KEY) return { kind: 'setting', pem: AUDIT_KEY };
  return AUDIT_KEY_FILE ? { kind: 'file', path: AUDIT_KEY_FILE } : null;
}

/** The same, where it is needed. */
export function needAuditKey(settings: Settings): AuditKeySettings {
  const found = auditKeySettings(settings);
  if (found) return found;
  throw new SettingsError(['AUDIT_KEY_FILE is missing.']);
}

export function auditKeySource(settings: AuditKeySettings): AuditKeySource {
  switch (settings.kind) {
    case 'file':
      return keyFile(settings.path);
    case 'setting':
      return settingKey(settings.pem);
    case 'transit':
      return transitKeys(settings);
  }
}
