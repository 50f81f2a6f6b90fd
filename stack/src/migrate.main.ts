import { readEnvironment } from '@tallyhand/service-kit/env';
import { needSettings } from '@tallyhand/service-kit/settings';
import { migrate } from './application/migrate.ts';

/** Makes what the services stand on, and ends: they start after it. */
try {
  const settings = needSettings(readEnvironment(), ['MIGRATE_DATABASE_URL', 'MASTER_KEY']);
  await migrate(settings.MIGRATE_DATABASE_URL ?? '', settings.MASTER_KEY ?? '');
  console.log('The database is as this release needs it.');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
