import { runService } from '@tallyhand/service-kit/run-service';
import { start } from './start.ts';

await runService({
  name: 'projector',
  needed: ['DATABASE_URL', 'EVENTSTORE_URL', 'MASTER_KEY'],
  async start({ DATABASE_URL = '', EVENTSTORE_URL = '', MASTER_KEY = '' }, log) {
    const projector = await start({
      databaseUrl: DATABASE_URL,
      eventStoreUrl: EVENTSTORE_URL,
      masterKey: MASTER_KEY,
      log,
    });
    return {
      isReady: projector.isReady,
      [Symbol.asyncDispose]: () => projector[Symbol.asyncDispose](),
    };
  },
});
