import { fileURLToPath } from 'node:url';
import { runSupervisor } from './supervisor/run-supervisor.ts';

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

await runSupervisor({
  baseDir: pathOf('../../'),
  programs: {
    eventStore: pathOf('../../event-store/src/main.ts'),
    application: pathOf('./application.main.ts'),
    browserRunner: pathOf('../../browser-runner/src/main.ts'),
  },
});
