import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { EventStoreDBClient } from '@eventstore/db-client';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { status } from '@grpc/grpc-js';
import { streamNameOf } from '../grpc/append.codec.ts';
import { streamsPb } from '../grpc/protocol.ts';
import { startEventStore } from '../server.ts';
import { type Access, type Caller, isAllowed } from './guarded-rights.ts';

export type GuardedStoreOptions = {
  readonly dataDir: string;
  /** As PEM, for localhost. */
  readonly cert: string;
  readonly key: string;
  readonly adminPassword: string;
};

export type GuardedStore = AsyncDisposable & { readonly host: string };

type Users = Map<string, { password: string; readonly groups: readonly string[] }>;

const STREAMS = '/event_store.client.streams.Streams/';
const USERS = '/event_store.client.users.Users/';
/** Before each message: whether it is packed, and its length. */
const PREFIX_BYTES = 5;
/** Of one hop, or written anew for the next. */
const OWN_HEADERS = /^(:.*|authorization|connection|host|te)$/;

/** How a call ends that has begun to be answered. */
const endings = new WeakMap<ServerHttp2Stream, OutgoingHttpHeaders>();

/** Ends a call as EventStoreDB does. */
class Refusal extends Error {
  readonly code: status;
  readonly trailers: Readonly<Record<string, string>>;

  constructor(code: status, exception: string, details: Readonly<Record<string, string>> = {}) {
    super(exception);
    this.code = code;
    this.trailers = { exception, ...details };
  }
}

/**
 * The embedded event store behind what EventStoreDB has and it has not: TLS, users with passwords,
 * and access control lists of streams, which are looked at for every message that comes in.
 */
export async function startGuardedStore(options: GuardedStoreOptions): Promise<GuardedStore> {
  const { dataDir, cert, key, adminPassword } = options;
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await startEventStore({ dataDir, port: 0 }));
  const client = EventStoreDBClient.connectionString(store.connectionString);
  opening.defer(() => client.dispose());
  const behind = connect(`http://127.0.0.1:${store.port}`);
  behind.on('error', () => {});
  opening.defer(() => behind.destroy());
  const users: Users = new Map([['admin', { password: adminPassword, groups: ['$admins'] }]]);
  const server = createSecureServer({ cert, key });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (call, headers) => {
    call.on('error', () => {});
    call.on('wantTrailers', () => call.sendTrailers(endings.get(call) ?? {}));
    answer(call, headers).catch((error) => refuse(call, error));
  });
  opening.defer(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  async function answer(call: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const path = headers[':path'] ?? '';
    const caller = callerOf(users, headers.authorization);
    if (path.startsWith(USERS)) return changeUsers(call, path.slice(USERS.length), caller, users);
    const onward = passOn(behind, call, headers);
    for await (const message of messagesOf(call)) {
      const access = path.startsWith(STREAMS)
        ? accessOf(path.slice(STREAMS.length), message)
        : null;
      if (access && !(await isAllowed(client, caller, access))) {
        onward.close(constants.NGHTTP2_CANCEL);
        throw new Refusal(status.PERMISSION_DENIED, 'access-denied');
      }
      onward.write(message);
    }
    onward.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened = opening.move();
  return { host: `localhost:${port}`, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Whatever comes back goes to the caller as it is. */
function passOn(behind: ClientHttp2Session, call: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name));
  const onward = behind.request({
    ...Object.fromEntries(kept),
    ...{ ':method': 'POST', ':path': headers[':path'], te: 'trailers' },
  });
  onward.on('error', () => {});
  onward.on('trailers', (last) => endings.set(call, { ...last }));
  onward.on('response', (first, flags) => {
    if (call.headersSent || call.closed) return;
    // Where nothing follows, how it ended stands in the headers.
    const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    call.respond({ ...first }, isAll ? { endStream: true } : { waitForTrailers: true });
    if (!isAll) onward.pipe(call);
  });
  call.on('close', () => onward.close(constants.NGHTTP2_CANCEL));
  return onward;
}

function callerOf(users: Users, authorization: string | undefined): Caller {
  if (!authorization) return null;
  const text = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  const [name = '', password] = text.split(':');
  const user = users.get(name);
  if (!user || user.password !== password) {
    throw new Refusal(status.UNAUTHENTICATED, 'not-authenticated');
  }
  return { name, groups: user.groups };
}

/** Each with its prefix, as it came. Whoever takes no more of them can still answer the call. */
async function* messagesOf(call: ServerHttp2Stream): AsyncGenerator<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of call.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + bytes.readUInt32BE(1);
      if (bytes.length < end) break;
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end);
    }
  }
}

/** What a message asks for; null where it only goes on with what one before it began. */
function accessOf(method: string, message: Buffer): Access | null {
  const body = message.subarray(PREFIX_BYTES);
  if (method === 'Read') {
    const options = streamsPb.ReadReq.deserializeBinary(body).getOptions();
    const stream = options?.getStream();
    return { stream: stream ? streamNameOf(stream.getStreamIdentifier()) : '$all', kind: 'read' };
  }
  const kind = method === 'BatchAppend' ? streamsPb.BatchAppendReq : streamsPb.AppendReq;
  const options = kind.deserializeBinary(body).getOptions();
  if (!options) return null;
  return { stream: streamNameOf(options.getStreamIdentifier()), kind: 'write' };
}

async function changeUsers(
  call: ServerHttp2Stream,
  method: string,
  caller: Caller,
  users: Users,
): Promise<void> {
  const { value: message } = await messagesOf(call).next();
  if (!caller?.groups.includes('$admins')) {
    throw new Refusal(status.PERMISSION_DENIED, 'access-denied');
  }
  const body = (message as Buffer).subarray(PREFIX_BYTES);
  if (method === 'Create') {
    const asked = usersPb.CreateReq.deserializeBinary(body).getOptions()?.toObject();
    if (!asked || users.has(asked.loginName)) {
      throw new Refusal(status.FAILED_PRECONDITION, 'user-conflict', named(asked?.loginName));
    }
    users.set(asked.loginName, { password: asked.password, groups: asked.groupsList });
  } else {
    const asked = usersPb.ResetPasswordReq.deserializeBinary(body).getOptions()?.toObject();
    const user = users.get(asked?.loginName ?? '');
    if (!asked || !user) {
      throw new Refusal(status.NOT_FOUND, 'user-not-found', named(asked?.loginName));
    }
    user.password = asked.newPassword;
  }
  call.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
  endings.set(call, { 'grpc-status': '0' });
  call.end(Buffer.alloc(PREFIX_BYTES));
}

const named = (loginName = '') => ({ 'login-name': loginName });

function refuse(call: ServerHttp2Stream, error: unknown): void {
  if (call.closed) return;
  const { code, message, trailers } =
    error instanceof Refusal ? error : new Refusal(status.INTERNAL, String(error));
  const ending = { 'grpc-status': String(code), 'grpc-message': message, ...trailers };
  if (call.headersSent) {
    endings.set(call, ending);
    call.end();
  } else {
    call.respond({ 'content-type': 'application/grpc', ...ending }, { endStream: true });
  }
}
