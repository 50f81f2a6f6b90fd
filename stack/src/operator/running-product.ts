import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import { superuser } from '../postgres/cluster.ts';
import { readPostmasterFile } from '../postgres/postmaster-file.ts';
import type { Config } from '../supervisor/config.ts';
import {
  databaseName,
  type EventStoreUrls,
  embeddedEventStoreUrls,
  namedEventStoreUrls,
} from '../supervisor/embedded-servers.ts';
import { auditKeyFile, readSecrets } from '../supervisor/secrets.ts';

export type RunningProduct = EventStoreUrls & {
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly signingKey: string;
  readonly auditKey: AuditKeySettings;
};

/**
 * The addresses and secrets of the product that runs on this data folder; throws when it is not
 * running.
 */
export function runningProduct(config: Config): RunningProduct {
  const { dataDir } = config;
  const needsSecrets = !config.masterKey || !config.signingKey || !config.databaseUrl;
  if (needsSecrets && !existsSync(join(dataDir, 'secrets.json'))) {
    throw new Error(`There is no product in ${dataDir}. Start it once, or set DATA_DIR.`);
  }
  const secrets = needsSecrets ? readSecrets(dataDir) : undefined;
  const masterKey = config.masterKey ?? secrets?.masterKey ?? '';
  return {
    ...(namedEventStoreUrls(config) ?? embeddedEventStore(dataDir, masterKey)),
    databaseUrl: config.databaseUrl ?? embeddedDatabase(dataDir, secrets?.postgresPassword ?? ''),
    masterKey,
    signingKey: config.signingKey ?? secrets?.signingKey ?? '',
    auditKey: config.auditKey ?? { kind: 'file', path: auditKeyFile(dataDir) },
  };
}

function embeddedEventStore(dataDir: string, masterKey: string): EventStoreUrls {
  const file = join(dataDir, 'event-store.port');
  if (!existsSync(file)) throw notRunning(dataDir);
  return embeddedEventStoreUrls(dataDir, Number(readFileSync(file, 'utf8')), masterKey);
}

function embeddedDatabase(dataDir: string, password: string): string {
  const wished = join(dataDir, 'postgres');
  const note = join(wished, 'location');
  const dir = existsSync(note) ? readFileSync(note, 'utf8').trim() : wished;
  const server = readPostmasterFile(join(dir, 'cluster'));
  if (!server?.isReady) throw notRunning(dataDir);
  const account = `${superuser}:${encodeURIComponent(password)}`;
  return `postgres://${account}@127.0.0.1:${server.port}/${databaseName}`;
}

const notRunning = (dataDir: string) =>
  new Error(`The product in ${dataDir} is not running. Start it, then try again.`);
