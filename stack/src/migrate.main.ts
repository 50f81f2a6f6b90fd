import { readEnvironment } from '@tallyhand/service-kit/env';
import { grantStoreRights } from '@tallyhand/service-kit/event-store/store-rights';
import { needSettings } from '@tallyhand/service-kit/settings';
import { migrate } from './application/migrate.ts';

/** Creates what the services need, and exits: they start after it. */
try {
  const settings = needSettings(readEnvironment(), ['MIGRATE_DATABASE_URL', 'MASTER_KEY']);
  await migrate(settings.MIGRATE_DATABASE_URL ?? '', settings.MASTER_KEY ?? '');
  console.log('The database is as this release needs it.');
  const { MIGRATE_EVENTSTORE_URL: administratorUrl } = settings;
  // Without an administrator the event store has no users, or others make them.
  if (administratorUrl) {
    const { EVENTSTORE_URL: writerUrl = '', EVENTSTORE_READER_URL: readerUrl = '' } = settings;
    await grantStoreRights({ administratorUrl, writerUrl, readerUrl });
    console.log('The event store has its users, and each may do what it needs.');
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
