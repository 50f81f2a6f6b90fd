import { constants, setPriority, tmpdir } from 'node:os';
import { runService } from '@tallyhand/service-kit/run-service';
import { RUNNER_NEEDS, runnerConfig } from './config.ts';
import { useTemporaryFolder } from './env.ts';
import { start } from './start.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Inherited by browsers: pages that are busy without end delay no other process.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

await runService({
  name: 'browser-runner',
  needed: RUNNER_NEEDS,
  async start(settings, log) {
    const folder = await temporaryFolder(tmpdir());
    useTemporaryFolder(folder.path);
    const runner = await start(runnerConfig(settings, log));
    return {
      isReady: async () => true,
      async [Symbol.asyncDispose]() {
        await runner[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  },
});
