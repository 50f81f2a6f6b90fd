import { type Metadata, status } from '@grpc/grpc-js';
import { RpcError } from '../grpc/rpc-error.ts';
import type { EventRows } from '../storage/event-rows.ts';
import { type AccessKind, isAboutRights, StreamRights } from './stream-rights.ts';
import { ADMINISTRATORS, type StoreUsers, type User, Users } from './users.ts';

const USER_STREAM = '$user-';

/** The stream that keeps a user whom an administrator made. */
export const userStream = (name: string): string => `${USER_STREAM}${name}`;

/** Whoever calls may do what `require` does not refuse. */
export type Caller = {
  /** Throws PERMISSION_DENIED. */
  require(kind: AccessKind, stream: string): void;
  /** Throws PERMISSION_DENIED for a call without credentials. */
  requireUser(): void;
  /** Throws PERMISSION_DENIED for all but administrators. */
  requireAdministrator(): void;
};

/** Who may call what. */
export type Access = {
  /** Null: without users. */
  readonly users: Users | null;
  /**
   * Rejects with UNAUTHENTICATED for wrong credentials. A call without any is nobody's, and may do
   * no more than find out what kind of server this is, as with EventStoreDB.
   */
  caller(metadata: Metadata): Promise<Caller>;
  /** Takes over what an append may have changed about users and rights. */
  appended(streams: Iterable<string>): void;
};

const EVERYTHING: Caller = {
  require: () => {},
  requireUser: () => {},
  requireAdministrator: () => {},
};

/** For a server that was started with --insecure. */
export const openAccess: Access = {
  users: null,
  caller: async () => EVERYTHING,
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
  return {
    users,
    async caller(metadata) {
      const [header] = metadata.get('authorization');
      if (header === undefined) return callerOf(null, rights);
      const user = await users.verify(String(header));
      if (!user) throw new RpcError(status.UNAUTHENTICATED, 'Unauthenticated');
      return callerOf(user, rights);
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

function callerOf(user: User | null, rights: StreamRights): Caller {
  return {
    require(kind, stream) {
      if (!user || !rights.allows(user, kind, stream)) throw accessDenied();
    },
    requireUser() {
      if (!user) throw accessDenied();
    },
    requireAdministrator() {
      if (!user?.groups.includes(ADMINISTRATORS)) throw accessDenied();
    },
  };
}

const accessDenied = () =>
  new RpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
