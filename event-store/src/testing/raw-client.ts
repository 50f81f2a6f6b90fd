import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { AppendResp, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { temporaryFolder } from '../conformance/subject.ts';
import { streamsPb } from '../grpc/protocol.ts';
import { startEventStore } from '../server.ts';

const STREAMS = '/event_store.client.streams.Streams';

export type Message = { serializeBinary(): Uint8Array } | Uint8Array;
type End = { code: status; details: string };

/** Sends what the official client never would: any bytes, unfinished calls, calls not read. */
export class RawClient implements Disposable {
  readonly #client: Client;

  constructor(port: number) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      // A separate connection for each client.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  append(messages: readonly Message[], { isOpen = false, deadline = Infinity } = {}) {
    const { promise: ended, resolve } = Promise.withResolvers<End & { response?: AppendResp }>();
    const call = this.#client.makeClientStreamRequest(
      `${STREAMS}/Append`,
      bytesOf,
      streamsPb.AppendResp.deserializeBinary,
      { deadline },
      (error, response) => {
        if (error !== null) resolve(endOf(error));
        else resolve({ code: status.OK, details: '', ...(response ? { response } : {}) });
      },
    );
    for (const message of messages) call.write(message);
    if (!isOpen) call.end();
    return { call, ended };
  }

  batch() {
    const call = this.#client.makeBidiStreamRequest(
      `${STREAMS}/BatchAppend`,
      bytesOf,
      streamsPb.BatchAppendResp.deserializeBinary,
    );
    return { call, ended: ending(call) };
  }

  /** Takes nothing until its data is listened to. */
  read(request: Message) {
    const call = this.#client.makeServerStreamRequest(
      `${STREAMS}/Read`,
      bytesOf,
      streamsPb.ReadResp.deserializeBinary,
      request,
    );
    return { call, ended: ending(call) };
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

function bytesOf(message: Message): Buffer {
  return Buffer.from(message instanceof Uint8Array ? message : message.serializeBinary());
}

function endOf({ code, details }: ServiceError): End {
  return { code, details };
}

function ending(call: NodeJS.EventEmitter): Promise<End> {
  return new Promise((resolve) => {
    call.once('error', (error: ServiceError) => resolve(endOf(error)));
    call.once('end', () => resolve({ code: status.OK, details: '' }));
  });
}

/**
 * Sends a message of so many bytes on a separate connection, without its last byte and without
 * credentials; by TLS where an authority is given. `status` is the gRPC status with which the server
 * ends the call.
 */
export function sendPartOfMessage(
  port: number,
  bytes: number,
  ca?: Buffer,
): { connection: ClientHttp2Session; status: Promise<string> } {
  const connection = ca
    ? connect(`https://localhost:${port}`, { ca })
    : connect(`http://127.0.0.1:${port}`);
  connection.on('error', () => {});
  const call = connection.request({
    ':method': 'POST',
    ':path': `${STREAMS}/BatchAppend`,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  call.on('error', () => {});
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes, 1);
  call.write(prefix);
  call.write(Buffer.alloc(bytes - 1));
  const ended = new Promise<string>((resolve) => {
    call.once('response', (headers) => resolve(String(headers['grpc-status'])));
  });
  return { connection, status: ended };
}

/** An event store without users, for the official client and for messages that it would not send. */
export async function openRawStore() {
  await using opening = new AsyncDisposableStack();
  const { path } = opening.use(await temporaryFolder());
  const server = opening.use(await startEventStore({ dataDir: path, port: 0, users: null }));
  const client = EventStoreDBClient.connectionString(server.urlOf('writer'));
  opening.defer(() => client.dispose());
  const raw = opening.use(new RawClient(server.port));
  const opened = opening.move();
  return {
    client,
    raw,
    /** The first answer to one message of a batch append. */
    async batchAnswer(message: Message): Promise<BatchAppendResp> {
      const { call } = raw.batch();
      call.write(message);
      const [answer] = (await once(call, 'data')) as [BatchAppendResp];
      call.end();
      return answer;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
