import { StartRefusal } from '@tallyhand/service-kit/start-refusal';
import { configFromEnvironment } from './application/env.ts';
import { startApplication } from './application/start.ts';
import { WANT_BROWSER } from './supervisor/want-browser.ts';

const application = await startApplication({
  ...configFromEnvironment(),
  // The supervisor starts a browser runner when it hears this; it may hear it often.
  wantBrowser() {
    if (process.connected) process.send?.(WANT_BROWSER);
  },
}).catch((error) => {
  if (!(error instanceof StartRefusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
process.stdout.write('ready\n');

async function stop() {
  await application[Symbol.asyncDispose]();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
