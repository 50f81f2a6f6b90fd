import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { appendHandler } from './grpc/append.service.ts';
import { batchAppendHandler } from './grpc/batch-append.service.ts';
import { gossipHandler, supportedMethodsHandler } from './grpc/node-info.service.ts';
import { OpenCalls } from './grpc/open-calls.ts';
import { featuresGrpc, gossipGrpc, streamsGrpc } from './grpc/protocol.ts';
import { readHandler } from './grpc/read.service.ts';
import { RpcError } from './grpc/rpc-error.ts';
import { AppendQueue } from './storage/append-queue.ts';
import { CommitSignal } from './storage/commit-signal.ts';
import { openForReading } from './storage/database.ts';
import { EventRows } from './storage/event-rows.ts';
import { FolderLock } from './storage/folder-lock.ts';

export type EventStoreOptions = {
  /** Made when it does not exist. One server at a time works on it. */
  dataDir: string;
  /** 0 takes a free one. */
  port: number;
  /** Without TLS and users there is no other: whoever reaches the port may do everything. */
  host?: '127.0.0.1';
};

export type EventStoreServer = AsyncDisposable & { port: number; connectionString: string };

/**
 * As large as the client itself takes messages: 3 MB of a batch and what one event may add to it.
 */
const MESSAGE_BYTES_MAX = 17 * 1024 * 1024;
const SHUTDOWN_MS_MAX = 1_000;

/**
 * Starts the event store. Rejects with FolderLockedError, DamagedStoreError (its message names the
 * position), or an Error with code EADDRINUSE.
 */
export async function startEventStore(options: EventStoreOptions): Promise<EventStoreServer> {
  const host = options.host ?? '127.0.0.1';
  await using opened = new AsyncDisposableStack();
  opened.use(FolderLock.acquire(options.dataDir));
  const commits = new CommitSignal();
  const queue = await AppendQueue.open(options.dataDir, (streams) => commits.announce(streams));
  opened.defer(() => queue.close());
  // Reads run in the server's own thread, page by page: handing rows from thread to thread costs
  // more than to read them.
  const db = openForReading(options.dataDir);
  opened.defer(() => db.close());

  const calls = new OpenCalls();
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  });
  let port = options.port;
  server.addService(streamsGrpc.StreamsService, {
    append: appendHandler(queue),
    batchAppend: batchAppendHandler(queue, calls),
    read: readHandler(new EventRows(db), commits, calls),
    delete: notImplemented('Delete'),
    tombstone: notImplemented('Tombstone'),
  });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: supportedMethodsHandler,
  });
  server.addService(gossipGrpc.GossipService, {
    read: gossipHandler(randomUUID(), () => ({ host, port })),
  });
  opened.defer(() => stop(server, calls));
  port = await listen(server, host, options.port);

  const resources = opened.move();
  return {
    port,
    connectionString: `esdb://${host}:${port}?tls=false`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  // grpc-js says only "No address added out of total 1 resolved"; a socket of our own says why.
  if (port !== 0) await tryPort(host, port);
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

/** Ends the calls that last, lets the short ones finish, and cuts what is left after a second. */
async function stop(server: Server, calls: OpenCalls): Promise<void> {
  calls.endAll();
  const finished = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const timer = new AbortController();
  await Promise.race([finished, delay(SHUTDOWN_MS_MAX, undefined, { signal: timer.signal })]);
  timer.abort();
  server.forceShutdown();
}

function notImplemented(method: string): UntypedServiceImplementation[string] {
  return (_call: unknown, callback: (error: RpcError) => void) => {
    callback(
      new RpcError(status.UNIMPLEMENTED, `${method} is not implemented by this event store`),
    );
  };
}
