import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type AuditKeySettings,
  auditKeySettings,
} from '@tallyhand/service-kit/audit-keys/key-settings';
import {
  reachable,
  readSettings,
  type Settings,
  SettingsError,
} from '@tallyhand/service-kit/settings';

/** The settings that the supervisor uses itself; all others go to the application unchanged. */
export type Config = {
  port: number;
  host: string;
  /** Absolute. */
  dataDir: string;
  /** Without a slash at its end. */
  publicUrl: string;
  /** Undefined: the supervisor runs the embedded one. */
  eventStoreUrl: string | undefined;
  /** For the projector; undefined if it has no separate user. */
  eventStoreReaderUrl: string | undefined;
  /** Undefined: the supervisor runs the embedded one. */
  databaseUrl: string | undefined;
  /** Undefined secrets are generated at the first start and stored in the data folder. */
  masterKey: string | undefined;
  signingKey: string | undefined;
  internalToken: string | undefined;
  /** By default, a file in the data folder that is made at the first start. */
  auditKey: AuditKeySettings | undefined;
  /** All given settings, for the application. */
  settings: Settings;
};

/**
 * Checks all settings, creates the data folder, and derives the rest. `baseDir` is the base of a
 * relative DATA_DIR. Throws a SettingsError that names every fault at once.
 */
export function deriveConfig(env: NodeJS.ProcessEnv, baseDir: string): Config {
  const { settings, faults } = readSettings(env);
  const dataDir = resolve(baseDir, settings.DATA_DIR ?? 'data');
  const folderFault = makeFolder(dataDir);
  const all = folderFault ? [...faults, folderFault] : faults;
  if (all.length > 0) throw new SettingsError(all);
  const { port, host, publicUrl } = addressesOf(settings);
  return {
    port,
    host,
    dataDir,
    publicUrl,
    eventStoreUrl: settings.EVENTSTORE_URL,
    eventStoreReaderUrl: settings.EVENTSTORE_READER_URL,
    databaseUrl: settings.DATABASE_URL,
    masterKey: settings.MASTER_KEY,
    signingKey: settings.SIGNING_KEY,
    internalToken: settings.INTERNAL_TOKEN,
    auditKey: auditKeySettings(settings) ?? undefined,
    settings,
  };
}

/** The listening address, the local address, and the address that users open. */
export function addressesOf(settings: Settings) {
  const port = Number(settings.PORT ?? 8080);
  const host = settings.HOST ?? '127.0.0.1';
  const localUrl = `http://${reachable(host)}:${port}`;
  return { port, host, localUrl, publicUrl: new URL(settings.PUBLIC_URL ?? localUrl).origin };
}

function makeFolder(dataDir: string): string | undefined {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    if (!statSync(dataDir).isDirectory()) return `DATA_DIR ${dataDir} is not a folder.`;
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      return `DATA_DIR ${dataDir} is not a folder: a file is in the way.`;
    }
    return `DATA_DIR ${dataDir} can't be written (${code}).`;
  }
}

/** The message of the application to the supervisor when it needs a browser runner. */
export const WANT_BROWSER = 'want a browser';
