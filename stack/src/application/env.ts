import { fileURLToPath } from 'node:url';
import { COMMAND_NEEDS, commandConfig } from '@tallyhand/command-service/config';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { jsonLog, type LogLevel } from '@tallyhand/service-kit/log';
import { needSettings } from '@tallyhand/service-kit/settings';
import { tracingOf } from '@tallyhand/service-kit/tracing/start-tracing';
import type { ApplicationConfig } from './start.ts';

/** The settings that the supervisor passes on: secrets and addresses filled in. */
export function configFromEnvironment(): ApplicationConfig {
  const settings = needSettings(readEnvironment(), [
    ...COMMAND_NEEDS,
    'HOST',
    'PORT',
    'INTERNAL_PORT',
  ]);
  const config = commandConfig(settings);
  return {
    ...config,
    host: settings.HOST ?? '',
    port: Number(settings.PORT),
    eventStoreReaderUrl: settings.EVENTSTORE_READER_URL,
    migrateDatabaseUrl: settings.MIGRATE_DATABASE_URL ?? config.databaseUrl,
    internalPort: Number(settings.INTERNAL_PORT),
    runnerAddress: () => settings.BROWSER_RUNNER_URL ?? null,
    dataDir: settings.DATA_DIR,
    securityContact: settings.SECURITY_CONTACT,
    communityUrl: settings.COMMUNITY_URL,
    webFolder: fileURLToPath(new URL('../../../web/dist/', import.meta.url)),
    tracing: tracingOf(settings),
    log: jsonLog('application', (settings.LOG_LEVEL ?? 'warn') as LogLevel),
  };
}
