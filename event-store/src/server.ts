import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type Access, guardedAccess, openAccess } from './access/access.ts';
import { TlsCredentials } from './access/tls-files.ts';
import type { StoreUsers } from './access/users.ts';
import { storeUrl } from './env.ts';
import { appendHandler } from './grpc/append.service.ts';
import { batchAppendHandler } from './grpc/batch-append.service.ts';
import { Connections, OpenCalls } from './grpc/connections.ts';
import { clusterOfOne, publicHandler, supportedMethods } from './grpc/node-info.service.ts';
import { featuresGrpc, gossipGrpc, usersGrpc } from './grpc/protocol.ts';
import { readHandler } from './grpc/read.service.ts';
import { RpcError } from './grpc/rpc-error.ts';
import { streamsService } from './grpc/text.ts';
import { createUserHandler, resetPasswordHandler } from './grpc/users.service.ts';
import { WireLimits } from './grpc/wire.ts';
import { AppendQueue } from './storage/append-queue.ts';
import { CommitSignal } from './storage/commit-signal.ts';
import { openForReading } from './storage/database.ts';
import { EventRows } from './storage/event-rows.ts';
import { FolderLock } from './storage/folder-lock.ts';

export type EventStoreOptions = {
  /** Made when it does not exist. One server at a time works on it. */
  dataDir: string;
  /** 0 uses a free port. */
  port: number;
  /** Null only at the operator's request: no users and no TLS, everyone may do everything. */
  users: StoreUsers | null;
};

export type EventStoreServer = AsyncDisposable & {
  port: number;
  /** The connection string for one of its users. */
  urlOf(user: keyof StoreUsers): string;
};

/** The certificate is for this machine only. */
const HOST = '127.0.0.1';

/** The client's own maximum for messages: 3 MB of a batch and the largest event added to it. */
const MESSAGE_BYTES_MAX = 17 * 1024 * 1024;
/** As in EventStoreDB: clients queue further calls until others have ended. */
const CONNECTION_CALLS_MAX = 100;
const SHUTDOWN_MS_MAX = 1_000;

/**
 * Starts the event store. Rejects with FolderLockedError, DamagedStoreError (its message names the
 * position), or an Error with code EADDRINUSE.
 */
export async function startEventStore(options: EventStoreOptions): Promise<EventStoreServer> {
  const { dataDir, users } = options;
  await using opened = new AsyncDisposableStack();
  opened.use(FolderLock.acquire(dataDir));
  const commits = new CommitSignal();
  let access: Access = openAccess;
  const queue = await AppendQueue.open(dataDir, (streams) => {
    access.appended(streams);
    commits.announce(streams);
  });
  opened.defer(() => queue.close());
  // Reads run in the server's own thread, page by page: handing rows from thread to thread costs
  // more than to read them.
  const db = openForReading(dataDir);
  opened.defer(() => db.close());
  const rows = new EventRows(db);
  if (users) access = guardedAccess(users, rows);

  const calls = new OpenCalls();
  const connections = new Connections();
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_concurrent_streams': CONNECTION_CALLS_MAX,
    interceptors: [
      new WireLimits().interceptor({
        room: () => queue.room(),
        async admit(call, metadata, isPublic) {
          const refused = connections.refusalOf(call);
          if (refused) throw refused;
          await access.admit(metadata, isPublic);
          if (!isPublic) connections.admitted(call);
        },
      }),
    ],
  });
  let port = options.port;
  server.addService(streamsService, {
    append: appendHandler(queue, access),
    batchAppend: batchAppendHandler(queue, calls, access),
    read: readHandler(rows, commits, calls, access),
    delete: notImplemented('Delete'),
    tombstone: notImplemented('Tombstone'),
  });
  server.addService(usersGrpc.UsersService, {
    create: createUserHandler(queue, access),
    resetPassword: resetPasswordHandler(queue, access),
    update: notImplemented('Users.Update'),
    delete: notImplemented('Users.Delete'),
    disable: notImplemented('Users.Disable'),
    enable: notImplemented('Users.Enable'),
    details: notImplemented('Users.Details'),
    changePassword: notImplemented('Users.ChangePassword'),
  });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: publicHandler(supportedMethods),
  });
  const instanceId = randomUUID();
  const host = users ? 'localhost' : HOST;
  server.addService(gossipGrpc.GossipService, {
    read: publicHandler(() => clusterOfOne(instanceId, host, port)),
  });
  opened.defer(() => stop(server, calls));
  const credentials = users
    ? opened.use(new TlsCredentials(dataDir))
    : ServerCredentials.createInsecure();
  port = await listen(server, credentials, options.port);
  connections.watch(server);

  const resources = opened.move();
  return {
    port,
    urlOf: (user) => storeUrl({ port, dataDir, users }, user),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The port is taken last: a client must not meet a server that disappears again. */
function listen(server: Server, credentials: ServerCredentials, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${HOST}:${port}`, credentials, (error, bound) => {
      if (error === null) return resolve(bound);
      // grpc-js puts the reason into its message only.
      const isTaken = error.message.includes('EADDRINUSE');
      reject(isTaken ? Object.assign(error, { code: 'EADDRINUSE' }) : error);
    });
  });
}

/** Ends long-lived calls, lets short ones finish, and cuts the rest off after a second. */
async function stop(server: Server, calls: OpenCalls): Promise<void> {
  calls.endAll();
  const finished = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  const timer = new AbortController();
  await Promise.race([finished, delay(SHUTDOWN_MS_MAX, undefined, { signal: timer.signal })]);
  timer.abort();
  server.forceShutdown();
}

/** Missing services are refused by name. */
function notImplemented(method: string): UntypedServiceImplementation[string] {
  const details = `${method} is not implemented by this event store`;
  return (_call: ServerUnaryCall<unknown, unknown>, callback: (error: RpcError) => void) =>
    callback(new RpcError(status.UNIMPLEMENTED, details));
}
