import { parseArgs } from 'node:util';
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { readUsers } from './env.ts';
import { type EventStoreServer, startEventStore } from './server.ts';
import { messageOf } from './storage/faults.ts';

const SHUTDOWN_MS_MAX = 1_900;

/** node src/main.ts --port P --data DIR [--insecure] */
async function start(): Promise<EventStoreServer> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2113' },
      data: { type: 'string' },
      insecure: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port takes a number from 0 to 65535, not ${values.port}`);
  }
  if (values.data === undefined) throw new Error('--data DIR is missing');
  const users = values.insecure ? null : readUsers();
  if (!users) {
    console.warn('event store: --insecure: everyone on this machine may read and append events');
  }
  // Files are private to its account, whatever the folder's permissions are.
  process.umask(0o077);
  return await startEventStore({ dataDir: values.data, port, users }).catch((error) => {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new Error(`port ${port} is taken by another program`) : error;
  });
}

// A closed terminal or pipe must not end the server: that output is lost.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
// The failure is printed below, in one line.
setLogVerbosity(logVerbosity.NONE);

try {
  const server = await start();
  const stop = async () => {
    // A hanging disk must not keep the process: acknowledged events are synced already.
    setTimeout(() => process.exit(1), SHUTDOWN_MS_MAX).unref();
    await server[Symbol.asyncDispose]();
    process.exit(0);
  };
  // 'disconnect' comes when a parent that opened a channel to this process is gone, however it
  // ended.
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
  console.log(`event store listening on 127.0.0.1:${server.port}`);
} catch (error) {
  console.error(`event store: ${messageOf(error)}`);
  process.exit(1);
}
