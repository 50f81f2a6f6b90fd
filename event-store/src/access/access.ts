import { type Metadata, status } from '@grpc/grpc-js';
import { RpcError } from '../grpc/rpc-error.ts';
import type { EventRows } from '../storage/event-rows.ts';
import { type AccessKind, isAboutRights, StreamRights } from './stream-rights.ts';
import { ADMINISTRATORS, type StoreUsers, type User, Users } from './users.ts';

const USER_STREAM = '$user-';

/** The stream that keeps a user that an administrator made. */
export const userStream = (name: string): string => `${USER_STREAM}${name}`;

/** The user of a call. */
export type Caller = {
  /** Throws PERMISSION_DENIED. */
  require(kind: AccessKind, stream: string): void;
  /** Throws PERMISSION_DENIED for all but administrators. */
  requireAdministrator(): void;
  /** Whether reads of $all leave out this stream's events: they hold hashes of passwords. */
  hides(stream: string): boolean;
};

/** Who may call what. */
export type Access = {
  /** Null: without users. */
  readonly users: Users | null;
  /**
   * Identifies the user of a call, before anything that the call sends is read. Rejects with
   * UNAUTHENTICATED for wrong credentials, and with PERMISSION_DENIED without any, unless the method
   * is public.
   */
  admit(metadata: Metadata, isPublic: boolean): Promise<void>;
  /** The user of an admitted call. Throws PERMISSION_DENIED for a call without credentials. */
  caller(metadata: Metadata): Caller;
  /** Applies what an append may have changed about users and rights. */
  appended(streams: Iterable<string>): void;
};

const EVERYTHING: Caller = {
  require: () => {},
  requireAdministrator: () => {},
  hides: () => false,
};

/** For a server that was started with --insecure. */
export const openAccess: Access = {
  users: null,
  admit: async () => {},
  caller: () => EVERYTHING,
  appended: () => {},
};

/** For a server with users; reads those that are stored. */
export function guardedAccess(given: StoreUsers, rows: EventRows): Access {
  const users = new Users(given, (line) => console.error(line));
  const rights = new StreamRights();
  const take = (stream: string) => {
    const data = rows.lastData(stream);
    if (data === null) return;
    if (isAboutRights(stream)) rights.change(stream, data);
    else users.store(stream.slice(USER_STREAM.length), data);
  };
  const matters = (stream: string) =>
    stream.startsWith('$') && (isAboutRights(stream) || stream.startsWith(USER_STREAM));
  for (const stream of rows.systemStreams()) if (matters(stream)) take(stream);
  const callers = new WeakMap<Metadata, Caller>();
  return {
    users,
    async admit(metadata, isPublic) {
      const [header] = metadata.get('authorization');
      if (header === undefined) {
        if (!isPublic) throw accessDenied();
        return;
      }
      const user = await users.verify(String(header));
      if (!user) throw new RpcError(status.UNAUTHENTICATED, 'Unauthenticated');
      callers.set(metadata, callerOf(user, rights));
    },
    caller(metadata) {
      const caller = callers.get(metadata);
      if (!caller) throw accessDenied();
      return caller;
    },
    appended(streams) {
      try {
        for (const stream of streams) if (matters(stream)) take(stream);
      } catch (error) {
        console.error('event store: rights could not be read again:', error);
      }
    },
  };
}

function callerOf(user: User, rights: StreamRights): Caller {
  return {
    require(kind, stream) {
      if (!rights.allows(user, kind, stream)) throw accessDenied();
    },
    requireAdministrator() {
      if (!user.groups.includes(ADMINISTRATORS)) throw accessDenied();
    },
    hides: (stream) => stream.startsWith(USER_STREAM) && !rights.allows(user, 'read', stream),
  };
}

const accessDenied = () =>
  new RpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
