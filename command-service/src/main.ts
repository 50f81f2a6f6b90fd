import { readsAt } from '@tallyhand/service-kit/http/reads';
import { runService } from '@tallyhand/service-kit/run-service';
import { openKit } from './app/open-kit.ts';
import { COMMAND_SERVICE_NEEDS, commandConfig } from './config.ts';
import { start } from './start.ts';

await runService({
  name: 'command-service',
  needed: COMMAND_SERVICE_NEEDS,
  async start(settings, log) {
    const opened = await openKit({ ...commandConfig(settings), log });
    const service = await start(opened, readsAt(settings.QUERY_SERVICE_URL ?? ''));
    return {
      handle: service.handle,
      handleInternal: service.handleInternal,
      isReady: opened.isReady,
      // The built-in provider's webhooks come in where all calls do.
      onListening: ({ port }) => opened.features.testPayments?.sendTo(`http://127.0.0.1:${port}`),
      async [Symbol.asyncDispose]() {
        await service[Symbol.asyncDispose]();
        await opened[Symbol.asyncDispose]();
      },
    };
  },
});
