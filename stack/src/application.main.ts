import { configFromEnvironment } from './application/env.ts';
import { startApplication } from './application/start.ts';

const application = await startApplication(configFromEnvironment());
process.stdout.write('ready\n');

async function stop() {
  await application[Symbol.asyncDispose]();
  process.exit(0);
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
