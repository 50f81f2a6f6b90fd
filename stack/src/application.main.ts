import { surviveClosedOutput } from '@tallyhand/service-kit/log';
import { StartRefusal } from '@tallyhand/service-kit/settings';
import { configFromEnvironment } from './application/env.ts';
import { startApplication } from './application/start.ts';
import { WANT_BROWSER } from './supervisor/config.ts';

surviveClosedOutput();
const application = await startApplication({
  ...configFromEnvironment(),
  // The supervisor starts a browser runner at this message, which may be sent often.
  wantBrowser() {
    if (process.connected) process.send?.(WANT_BROWSER);
  },
}).catch((error) => {
  if (!(error instanceof StartRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
process.stdout.write('ready\n');

let isStopping = false;
/** Interrupts running work, whose progress is stored. Takes seconds; a second signal is ignored. */
async function stop() {
  if (isStopping) return;
  isStopping = true;
  await application[Symbol.asyncDispose]();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
