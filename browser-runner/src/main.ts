import { constants, setPriority, tmpdir } from 'node:os';
import { configFromEnvironment, useTemporaryFolder } from './env.ts';
import { start } from './start.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Browsers have it from this process: pages that are busy without end hold up nobody else.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const folder = await temporaryFolder(tmpdir());
useTemporaryFolder(folder.path);
const runner = await start(configFromEnvironment());
process.stdout.write('ready\n');

let isStopping = false;
async function stop() {
  if (isStopping) return;
  isStopping = true;
  await runner[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
