import { configFromEnvironment } from './env.ts';
import { start } from './start.ts';

const runner = await start(configFromEnvironment());
process.stdout.write('ready\n');

let isStopping = false;
async function stop() {
  if (isStopping) return;
  isStopping = true;
  await runner[Symbol.asyncDispose]();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
