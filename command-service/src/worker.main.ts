import { runService } from '@tallyhand/service-kit/run-service';
import { openKit } from './app/open-kit.ts';
import { COMMAND_NEEDS, commandConfig } from './config.ts';
import { start } from './worker.ts';

await runService({
  name: 'worker',
  needed: COMMAND_NEEDS,
  async start(settings, log) {
    const opened = await openKit({ ...commandConfig(settings), log });
    const worker = await start(opened);
    return {
      isReady: opened.isReady,
      async [Symbol.asyncDispose]() {
        await worker[Symbol.asyncDispose]();
        await opened[Symbol.asyncDispose]();
      },
    };
  },
});
