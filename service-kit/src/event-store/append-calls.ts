import { randomUUID } from 'node:crypto';
import {
  type AppendExpectedRevision,
  convertToCommandError,
  EventStoreDBClient,
} from '@eventstore/db-client';
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { createUUID, parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb, {
  type BatchAppendReq,
  type BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Position } from './position.ts';

/** The server starts no append later than this after the request. */
const BEGUN_MS_MAX = 10_000;

type Duplex = ReturnType<InstanceType<typeof streamsGrpc.StreamsClient>['batchAppend']>;
type StreamsClient = InstanceType<typeof streamsGrpc.StreamsClient>;

/** An event as the store keeps it: JSON as bytes. */
export type RawEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** `position` is null where the server names none, as for events that it has already. */
export type Appended = { readonly revision: bigint; readonly position: Position | null };

/** The append may have happened, or may still happen. */
export class UnansweredError extends Error {}

export type AppendCalls = {
  /**
   * Rejects with the client's errors, WrongExpectedVersionError among them, or with an
   * UnansweredError when the call ended or `answerMsMax` passed.
   */
  append(
    stream: string,
    events: readonly RawEvent[],
    expected: AppendExpectedRevision,
  ): Promise<Appended>;
};

/**
 * Appends by the service's BatchAppend: one call to the server carries any number of them. The
 * client's own implementation keeps unanswered appends in one list for all calls of a process: one
 * broken call refuses the appends of others, whose answers then silently end those calls (decision
 * 8).
 */
export function appendCalls(client: EventStoreDBClient, answerMsMax = 15_000): AppendCalls {
  const open = new WeakMap<StreamsClient, Duplex | Promise<Duplex>>();
  const calls = new WeakMap<Duplex, AppendCall>();
  const begin = (streams: StreamsClient, duplex: Duplex) => {
    calls.set(duplex, new AppendCall(duplex, answerMsMax, () => open.delete(streams)));
    return duplex;
  };
  return {
    async append(stream, events, expected) {
      const duplex = await NodeCalls.batchAppend(client, begin, open);
      const call = calls.get(duplex);
      if (!call) throw new UnansweredError('The call to the event store is not ours');
      return call.append(stream, events, expected);
    },
  };
}

/**
 * Protected members by which the official client finds its node, authenticates, and looks for
 * another one.
 */
class NodeCalls extends EventStoreDBClient {
  static batchAppend(
    client: EventStoreDBClient,
    begin: (streams: StreamsClient, duplex: Duplex) => Duplex,
    open: WeakMap<StreamsClient, Duplex | Promise<Duplex>>,
  ): Promise<Duplex> {
    const own = client as NodeCalls;
    const create = own.GRPCStreamCreator(
      streamsGrpc.StreamsClient,
      'append',
      (streams) =>
        begin(
          streams,
          streams.batchAppend(...own.callArguments({}, { deadline: Number.POSITIVE_INFINITY })),
        ),
      open,
    );
    return create();
  }
}

type Unanswered = {
  readonly stream: string;
  readonly expiry: NodeJS.Timeout;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
};

/** One call, until it breaks; each append has its answer, or learns that the call is over. */
class AppendCall {
  readonly #duplex: Duplex;
  readonly #answerMsMax: number;
  readonly #unanswered = new Map<string, Unanswered>();
  #isOver = false;

  constructor(duplex: Duplex, answerMsMax: number, onOver: () => void) {
    this.#duplex = duplex;
    this.#answerMsMax = answerMsMax;
    const end = (error: unknown) => {
      this.#isOver = true;
      onOver();
      for (const id of this.#unanswered.keys()) this.#take(id)?.reject(error);
    };
    duplex.on('data', (answer: BatchAppendResp) => this.#receive(answer));
    duplex.on('error', (error) => end(convertToCommandError(error)));
    duplex.on('end', () => {
      end(new UnansweredError('The event store ended the call'));
      // Its other half would keep the client from being closed.
      duplex.end();
    });
  }

  append(
    stream: string,
    events: readonly RawEvent[],
    expected: AppendExpectedRevision,
  ): Promise<Appended> {
    if (this.#isOver) return Promise.reject(new UnansweredError('The call is over'));
    const id = randomUUID();
    const request = requestOf(id, stream, events, expected);
    const { promise, resolve, reject } = Promise.withResolvers<Appended>();
    const expiry = setTimeout(() => this.#expire(id), this.#answerMsMax);
    this.#unanswered.set(id, { stream, expiry, resolve, reject });
    this.#duplex.write(request);
    return promise;
  }

  #take(id: string): Unanswered | undefined {
    const found = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    clearTimeout(found?.expiry);
    return found;
  }

  /** A server that does not answer this will hardly answer what waits behind it. */
  #expire(id: string): void {
    this.#take(id)?.reject(new UnansweredError('The event store did not answer in time'));
    this.#duplex.cancel();
  }

  #receive(answer: BatchAppendResp): void {
    const asked = this.#take(parseUUID(answer.getCorrelationId()) ?? '');
    if (!asked) return;
    try {
      asked.resolve(appendedOf(answer, asked.stream));
    } catch (error) {
      asked.reject(error);
    }
  }
}

function requestOf(
  id: string,
  stream: string,
  events: readonly RawEvent[],
  expected: AppendExpectedRevision,
): BatchAppendReq {
  const deadline = timestampPb.Timestamp.fromDate(new Date(Date.now() + BEGUN_MS_MAX));
  const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
  const options = new streamsPb.BatchAppendReq.Options();
  options.setStreamIdentifier(identifier).setDeadline(deadline);
  if (expected === 'any') options.setAny(new emptyPb.Empty());
  else if (expected === 'no_stream') options.setNoStream(new emptyPb.Empty());
  else if (expected === 'stream_exists') options.setStreamExists(new emptyPb.Empty());
  else options.setStreamPosition(expected.toString());
  return new streamsPb.BatchAppendReq()
    .setCorrelationId(createUUID(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(proposed))
    .setIsFinal(true);
}

function proposed({ id, type, data, metadata }: RawEvent): BatchAppendReq.ProposedMessage {
  const message = new streamsPb.BatchAppendReq.ProposedMessage();
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message.setId(createUUID(id)).setData(data).setCustomMetadata(metadata);
}

function appendedOf(answer: BatchAppendResp, stream: string): Appended {
  const error = answer.getError();
  if (error) throw error.getDetails() ? unpackToCommandError(error, stream) : refusal(error);
  const success = answer.getSuccess();
  if (!success) throw new Error('The event store answered without a result');
  const position = success.getPosition();
  return {
    revision: BigInt(success.getCurrentRevision()),
    position: position
      ? {
          commit: BigInt(position.getCommitPosition()),
          prepare: BigInt(position.getPreparePosition()),
        }
      : null,
  };
}

const refusal = (error: { getMessage(): string }) =>
  new Error(`The event store refused an append: ${error.getMessage()}`);
