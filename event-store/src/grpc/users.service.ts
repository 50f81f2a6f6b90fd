import { randomUUID } from 'node:crypto';
import type { CreateReq, ResetPasswordReq } from '@eventstore/db-client/generated/users_pb.js';
import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { type Access, userStream } from '../access/access.ts';
import { type StoredUser, storedUser, type Users } from '../access/users.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { ExpectedRevision } from '../storage/events.ts';
import { usersPb } from './protocol.ts';
import { asRpcError, invalidArgument, RpcError } from './rpc-error.ts';

const NAME_LENGTH_MAX = 256;

/** Users.Create: a user without rights, until an access control list grants some. */
export function createUserHandler(queue: AppendQueue, access: Access) {
  return forAdministrators<CreateReq, InstanceType<typeof usersPb.CreateResp>>(
    access,
    async (request, users) => {
      const { loginName, password, fullName, groupsList } =
        request.getOptions()?.toObject() ?? refuseWithoutOptions();
      if (loginName === '' || loginName.length > NAME_LENGTH_MAX || loginName.includes(':')) {
        throw invalidArgument(`a login name has 1 to ${NAME_LENGTH_MAX} characters and no colon`);
      }
      if (users.has(loginName)) {
        throw userError(status.FAILED_PRECONDITION, 'user-conflict', loginName);
      }
      const user = await storedUser({ loginName, fullName, groups: groupsList }, password);
      await append(queue, user, '$UserCreated', 'no_stream');
      return new usersPb.CreateResp();
    },
  );
}

/** Users.ResetPassword: of a user that was made here. */
export function resetPasswordHandler(queue: AppendQueue, access: Access) {
  return forAdministrators<ResetPasswordReq, InstanceType<typeof usersPb.ResetPasswordResp>>(
    access,
    async (request, users) => {
      const { loginName, newPassword } = request.getOptions()?.toObject() ?? refuseWithoutOptions();
      const stored = users.stored(loginName);
      if (!stored) throw userError(status.NOT_FOUND, 'user-not-found', loginName);
      await append(queue, await storedUser(stored, newPassword), '$UserUpdated', 'stream_exists');
      return new usersPb.ResetPasswordResp();
    },
  );
}

function forAdministrators<Request, Response>(
  access: Access,
  handle: (request: Request, users: Users) => Promise<Response>,
) {
  return async (
    call: ServerUnaryCall<Request, Response>,
    callback: sendUnaryData<Response>,
  ): Promise<void> => {
    try {
      access.caller(call.metadata).requireAdministrator();
      if (!access.users) {
        throw new RpcError(status.UNIMPLEMENTED, 'this event store was started without users');
      }
      callback(null, await handle(call.request, access.users));
    } catch (error) {
      callback(asRpcError(error));
    }
  };
}

/** As EventStoreDB stores users: the newest event of the user's stream counts. */
async function append(
  queue: AppendQueue,
  user: StoredUser,
  type: '$UserCreated' | '$UserUpdated',
  expected: ExpectedRevision,
): Promise<void> {
  const { loginName } = user;
  const data = Buffer.from(JSON.stringify(user));
  const id = randomUUID();
  const event = { id, type, contentType: 'application/json', metadata: Buffer.alloc(0), data };
  const request = { stream: userStream(loginName), expected, events: [event] };
  const result = await queue.append(request, Number.POSITIVE_INFINITY);
  if (result.kind !== 'appended') {
    throw userError(status.FAILED_PRECONDITION, 'user-conflict', loginName);
  }
}

function refuseWithoutOptions(): never {
  throw invalidArgument('the options are missing');
}

const userError = (code: status, exception: string, loginName: string) =>
  new RpcError(code, exception, { exception, 'login-name': loginName });
