import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  BACKWARDS,
  convertToCommandError,
  END,
  EventStoreDBClient,
  jsonEvent,
  LoginNotFoundError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import usersGrpc from '@eventstore/db-client/generated/users_grpc_pb.js';
import usersPb from '@eventstore/db-client/generated/users_pb.js';
import { StartRefusal } from '../settings.ts';

/** A cluster that starts at the same time has to choose a leader and make its administrator first. */
const READY_MS_MAX = 90_000;
const LOOK_MS = 1_000;

const ADMINISTRATORS = '$admins';
const NOBODY_ELSE = {
  $r: ADMINISTRATORS,
  $w: ADMINISTRATORS,
  $d: ADMINISTRATORS,
  $mr: ADMINISTRATORS,
  $mw: ADMINISTRATORS,
};
/** Its last event is the default access control list of every stream. */
const DEFAULT_RIGHTS = '$settings';
const ALL = '$all';

/** Connection strings for one event store, each with a user and a password. */
export type StoreUsers = {
  /** Needed for nothing but to make the others. */
  readonly administratorUrl: string;
  readonly writerUrl: string;
  readonly readerUrl: string;
};

type User = { readonly name: string; readonly password: string };

/**
 * Creates the users of an EventStoreDB with TLS, and their rights: the writer appends and reads,
 * the reader only reads, and neither may delete, change rights, or see the server's own streams.
 * Can run again at any time; it then sets the current passwords. Throws a StartRefusal with the
 * reason.
 */
export async function grantStoreRights(
  { administratorUrl, writerUrl, readerUrl }: StoreUsers,
  readyMsMax = READY_MS_MAX,
): Promise<void> {
  const writer = userOf(writerUrl);
  const reader = userOf(readerUrl);
  if (!writer || !reader || writer.name === reader.name) {
    throw new StartRefusal(
      'EVENTSTORE_URL and EVENTSTORE_READER_URL must each name a separate user, with a password.',
    );
  }
  const client = EventStoreDBClient.connectionString(administratorUrl);
  try {
    await untilReady(readyMsMax, () => setPassword(client, writer));
    await setPassword(client, reader);
    await setDefaultRights(client, writer, reader);
    await setRightsOnAll(client, writer, reader);
  } finally {
    await client.dispose();
  }
}

/** Of `esdb://name:password@host`; null without both. */
function userOf(url: string): User | null {
  const [, name, password] = /^[a-z+]+:\/\/([^:@/]+):([^:@/]+)@/i.exec(url) ?? [];
  if (!name || !password) return null;
  return { name: decodeURIComponent(name), password: decodeURIComponent(password) };
}

async function untilReady(msMax: number, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + msMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + LOOK_MS > deadline) {
        throw new StartRefusal(
          "The event store's users can't be made: does it run, and are user and password of " +
            'MIGRATE_EVENTSTORE_URL those of its administrator?',
          { cause: error },
        );
      }
      await pause(LOOK_MS);
    }
  }
}

async function setPassword(client: EventStoreDBClient, { name, password }: User): Promise<void> {
  try {
    const options = new usersPb.ResetPasswordReq.Options();
    options.setLoginName(name).setNewPassword(password);
    const request = new usersPb.ResetPasswordReq().setOptions(options);
    await UserCalls.of(client, (users, [metadata, how], done) =>
      users.resetPassword(request, metadata, how, done),
    );
  } catch (error) {
    if (!(error instanceof LoginNotFoundError)) throw error;
    const options = new usersPb.CreateReq.Options();
    options.setLoginName(name).setPassword(password).setFullName(name);
    const request = new usersPb.CreateReq().setOptions(options);
    await UserCalls.of(client, (users, [metadata, how], done) =>
      users.create(request, metadata, how, done),
    );
  }
}

type CallArguments = ReturnType<UserCalls['callArguments']>;

/** The official client has the service of users among its definitions, and no method for it. */
class UserCalls extends EventStoreDBClient {
  static of(
    client: EventStoreDBClient,
    call: (
      users: InstanceType<typeof usersGrpc.UsersClient>,
      how: CallArguments,
      done: (error: Error | null) => void,
    ) => unknown,
  ): Promise<void> {
    // As one of the client's own calls: to the node that it has found, as its user.
    const own = client as UserCalls;
    return own.execute(
      usersGrpc.UsersClient,
      'users',
      (users) =>
        new Promise((resolve, reject) => {
          call(users, own.callArguments({}), (error) =>
            error ? reject(convertToCommandError(error)) : resolve(),
          );
        }),
    );
  }
}

async function setDefaultRights(client: EventStoreDBClient, writer: User, reader: User) {
  const rights = {
    $userStreamAcl: { ...NOBODY_ELSE, $r: [writer.name, reader.name], $w: [writer.name] },
    $systemStreamAcl: NOBODY_ELSE,
  };
  if (isDeepStrictEqual(await lastData(client, DEFAULT_RIGHTS), rights)) return;
  await client.appendToStream(DEFAULT_RIGHTS, jsonEvent({ type: DEFAULT_RIGHTS, data: rights }));
}

/** `$all` counts as the server's own stream: without this only administrators read it. */
async function setRightsOnAll(client: EventStoreDBClient, writer: User, reader: User) {
  const readRoles = [writer.name, reader.name];
  const { metadata } = await client.getStreamMetadata(ALL);
  if (isDeepStrictEqual(metadata?.acl, { readRoles })) return;
  await client.setStreamMetadata(ALL, { acl: { readRoles } });
}

async function lastData(client: EventStoreDBClient, stream: string): Promise<unknown> {
  const newest = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
  let data: unknown = null;
  try {
    for await (const { event } of client.readStream(stream, newest)) data = event?.data;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return data;
}
