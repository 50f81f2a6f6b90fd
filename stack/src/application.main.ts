import { configFromEnvironment } from './application/env.ts';
import { startApplication } from './application/start.ts';
import { WANT_BROWSER } from './supervisor/want-browser.ts';

const application = await startApplication({
  ...configFromEnvironment(),
  // The supervisor starts a browser runner when it hears this; it may hear it often.
  wantBrowser() {
    if (process.connected) process.send?.(WANT_BROWSER);
  },
});
process.stdout.write('ready\n');

async function stop() {
  await application[Symbol.asyncDispose]();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
