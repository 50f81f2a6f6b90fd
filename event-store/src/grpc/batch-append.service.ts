import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Access, Caller } from '../access/access.ts';
import type { AppendQueue } from '../storage/append-queue.ts';
import type { AppendResult, ExpectedRevision } from '../storage/events.ts';
import { ClosingError, ExpiredError, ReadOnlyError } from '../storage/faults.ts';
import {
  APPEND_BYTES_MAX,
  appendableNameOf,
  expectedOfBatch,
  lateAppend,
  Proposal,
  revisionText,
  UNFINISHED_MS_MAX,
} from './append.codec.ts';
import type { OpenCalls } from './connections.ts';
import { anyPb, codePb, emptyPb, sharedPb, statusPb, streamsPb } from './protocol.ts';
import { asRpcError, invalidArgument } from './rpc-error.ts';
import { requireValidText } from './text.ts';
import { uuidFromMessage } from './uuid.codec.ts';
import { type Wire, wireOf } from './wire.ts';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** How many appends of one call may have begun without being complete. */
const UNFINISHED_APPENDS_MAX = 1_024;

/** A client that does not read its answers may send no more appends meanwhile. */
const ANSWERS_WAITING_MAX = 4_096;

/** BatchAppend: one call carries any number of appends, distinguished by their correlation ids. */
export function batchAppendHandler(queue: AppendQueue, calls: OpenCalls, access: Access) {
  return (call: Call): void => {
    const signal = calls.open(call);
    try {
      const caller = access.caller(call.metadata);
      const session = new BatchSession(call, queue, signal, caller);
      call.on('data', (message: BatchAppendReq) => session.receive(message));
      call.on('end', () => session.end());
    } catch (error) {
      if (!signal.aborted) call.emit('error', asRpcError(error));
    }
  };
}

type Header = { stream: string; expected: ExpectedRevision; deadline: number };

/** `refusal` is known before the append is complete; its events are dropped then. */
type Unfinished = {
  echo: Echo;
  header: Header | null;
  proposal: Proposal;
  bytes: number;
  refusal: unknown;
  timer: NodeJS.Timeout | undefined;
};

class BatchSession {
  readonly #call: Call;
  readonly #queue: AppendQueue;
  readonly #signal: AbortSignal;
  readonly #caller: Caller;
  readonly #wire: Wire | undefined;
  readonly #unfinished = new Map<string, Unfinished>();
  #unanswered = 0;
  #hasEnded = false;

  constructor(call: Call, queue: AppendQueue, signal: AbortSignal, caller: Caller) {
    this.#call = call;
    this.#queue = queue;
    this.#signal = signal;
    this.#caller = caller;
    this.#wire = wireOf(call);
    signal.addEventListener('abort', () => {
      for (const { timer } of this.#unfinished.values()) clearTimeout(timer);
    });
  }

  receive(message: BatchAppendReq): void {
    if (this.#signal.aborted) return;
    try {
      this.#collect(message);
    } catch (error) {
      // Without a correlation id there is no append to answer for.
      this.#call.emit('error', asRpcError(error));
    }
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#unanswered === 0) this.#call.end();
  }

  #collect(message: BatchAppendReq): void {
    const id = uuidFromMessage(message.getCorrelationId());
    const append = this.#unfinished.get(id) ?? this.#begin(id, message);
    append.bytes += this.#wire?.nextSize() ?? 0;
    try {
      requireValidText(message);
      for (const event of message.getProposedMessagesList()) {
        if (append.refusal === null) append.proposal.add(event);
      }
    } catch (error) {
      this.#refuse(append, error);
    }
    if (append.refusal !== null) this.#release(append);
    if (!message.getIsFinal()) {
      append.timer ??= setTimeout(() => this.#refuse(append, lateAppend()), UNFINISHED_MS_MAX);
      return;
    }
    clearTimeout(append.timer);
    this.#unfinished.delete(id);
    this.#unanswered += 1;
    void this.#finish(append);
  }

  #begin(id: string, message: BatchAppendReq): Unfinished {
    if (this.#unfinished.size >= UNFINISHED_APPENDS_MAX) {
      throw invalidArgument(`more than ${UNFINISHED_APPENDS_MAX} appends are unfinished`);
    }
    const append: Unfinished = {
      echo: { correlationId: message.getCorrelationId(), options: undefined },
      header: null,
      proposal: new Proposal(),
      bytes: 0,
      refusal: null,
      timer: undefined,
    };
    this.#unfinished.set(id, append);
    try {
      append.header = headerOf(message.getOptions(), this.#caller);
      append.echo.options = message.getOptions();
      // The name as it came would keep the whole message in memory.
      const name = Buffer.from(append.header.stream);
      append.echo.options?.getStreamIdentifier()?.setStreamName(name);
    } catch (error) {
      this.#refuse(append, error);
    }
    return append;
  }

  /** Answered when the append is complete: the client knows only one answer for each. */
  #refuse(append: Unfinished, error: unknown): void {
    append.refusal ??= error;
    append.proposal = new Proposal();
    this.#release(append);
  }

  #release(append: Unfinished): void {
    this.#wire?.release(append.bytes);
    append.bytes = 0;
  }

  async #finish(append: Unfinished): Promise<void> {
    const { echo, header, proposal, refusal } = append;
    try {
      if (refusal !== null || header === null) throw refusal;
      const { stream, expected, deadline } = header;
      const request = { stream, expected, events: proposal.events };
      const result = await this.#queue.append(request, deadline);
      this.#answer(batchResult(echo, expected, result));
    } catch (error) {
      if (this.#signal.aborted) return;
      if (error instanceof ReadOnlyError || error instanceof ClosingError) {
        // None of the call's appends can succeed, and only a status makes the client retry later.
        this.#call.emit('error', asRpcError(error));
      } else {
        this.#answer(batchError(echo, error));
      }
    } finally {
      this.#release(append);
    }
  }

  #answer(response: BatchAppendResp): void {
    this.#unanswered -= 1;
    if (this.#signal.aborted) return;
    this.#call.write(response);
    if (this.#call.writableLength > ANSWERS_WAITING_MAX && !this.#call.isPaused()) {
      this.#call.pause();
      this.#call.once('drain', () => this.#call.resume());
    }
    if (this.#hasEnded && this.#unanswered === 0) this.#call.end();
  }
}

/**
 * Throws the first reason to refuse the append before anything else is checked, as in EventStoreDB.
 */
function headerOf(options: BatchAppendReq.Options | undefined, caller: Caller): Header {
  if (options === undefined) throw invalidArgument('an append begins with its options');
  const stream = appendableNameOf(options.getStreamIdentifier());
  caller.require('write', stream);
  const deadline = deadlineOf(options.getDeadline());
  if (deadline <= Date.now()) throw new ExpiredError('the deadline had passed');
  return { stream, expected: expectedOfBatch(options), deadline };
}

/** In Unix milliseconds. */
function deadlineOf(timestamp: Timestamp | undefined): number {
  if (timestamp === undefined) return Number.POSITIVE_INFINITY;
  return timestamp.getSeconds() * 1_000 + timestamp.getNanos() / 1e6;
}

/** The fields of the request that every answer repeats. */
type Echo = { correlationId: UUID | undefined; options: BatchAppendReq.Options | undefined };

function batchResult(
  echo: Echo,
  expected: ExpectedRevision,
  result: AppendResult,
): BatchAppendResp {
  const response = echoing(echo);
  if (result.kind === 'wrong-expected-revision') {
    return response.setError(wrongExpectedVersion(echo, expected, result.current));
  }
  const success = new streamsPb.BatchAppendResp.Success();
  const revision = revisionText(result.revision);
  if (revision === null) success.setNoStream(new emptyPb.Empty());
  else success.setCurrentRevision(revision);
  if (result.position === null) {
    success.setNoPosition(new emptyPb.Empty());
  } else {
    const position = new sharedPb.AllStreamPosition();
    position.setCommitPosition(String(result.position));
    position.setPreparePosition(String(result.position));
    success.setPosition(position);
  }
  return response.setSuccess(success);
}

/** A refusal of one append; the others of the same call continue. */
function batchError(echo: Echo, error: unknown): BatchAppendResp {
  const { Code } = codePb;
  if (error instanceof ExpiredError) {
    const details = pack(new sharedPb.Timeout(), 'Timeout');
    return echoing(echo).setError(failure(Code.DEADLINE_EXCEEDED, 'Timeout', details));
  }
  const { code, details: message, metadata } = asRpcError(error);
  if (metadata.get('exception')[0] === 'maximum-append-size-exceeded') {
    const exceeded = new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(APPEND_BYTES_MAX);
    const details = pack(exceeded, 'MaximumAppendSizeExceeded');
    return echoing(echo).setError(failure(Code.INVALID_ARGUMENT, message, details));
  }
  if (code === status.PERMISSION_DENIED) {
    const details = pack(new sharedPb.AccessDenied(), 'AccessDenied');
    return echoing(echo).setError(failure(Code.PERMISSION_DENIED, message, details));
  }
  if (code === status.INVALID_ARGUMENT) {
    const details = pack(new sharedPb.BadRequest().setMessage(message), 'BadRequest');
    return echoing(echo).setError(failure(Code.INVALID_ARGUMENT, message, details));
  }
  const details = pack(new sharedPb.Unknown(), 'Unknown');
  return echoing(echo).setError(failure(Code.UNKNOWN, message, details));
}

function echoing({ correlationId, options }: Echo): BatchAppendResp {
  const response = new streamsPb.BatchAppendResp();
  const identifier: StreamIdentifier =
    options?.getStreamIdentifier() ?? new sharedPb.StreamIdentifier();
  response.setCorrelationId(correlationId).setStreamIdentifier(identifier);
  if (options === undefined) return response;
  const { ExpectedStreamPositionCase: Case } = streamsPb.BatchAppendReq.Options;
  switch (options.getExpectedStreamPositionCase()) {
    case Case.STREAM_POSITION:
      return response.setStreamPosition(options.getStreamPosition());
    case Case.NO_STREAM:
      return response.setNoStream(new emptyPb.Empty());
    case Case.STREAM_EXISTS:
      return response.setStreamExists(new emptyPb.Empty());
    default:
      return response.setAny(new emptyPb.Empty());
  }
}

function wrongExpectedVersion(
  { options }: Echo,
  expected: ExpectedRevision,
  current: number,
): Status {
  const wrong = new sharedPb.WrongExpectedVersion();
  const empty = new emptyPb.Empty();
  const revision = revisionText(current);
  if (revision === null) wrong.setCurrentNoStream(empty);
  else wrong.setCurrentStreamRevision(revision);
  if (expected === 'any') wrong.setExpectedAny(empty);
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(empty);
  else if (expected === 'no_stream') wrong.setExpectedNoStream(empty);
  else wrong.setExpectedStreamPosition(options?.getStreamPosition() ?? String(expected));
  const details = pack(wrong, 'WrongExpectedVersion');
  return failure(codePb.Code.ALREADY_EXISTS, 'WrongExpectedVersion', details);
}

type AnyMessage = InstanceType<typeof anyPb.Any>;

function failure(
  code: Parameters<Status['setCode']>[0],
  message: string,
  details: AnyMessage,
): Status {
  return new statusPb.Status().setCode(code).setMessage(message).setDetails(details);
}

function pack(message: { serializeBinary(): Uint8Array }, type: string): AnyMessage {
  const any = new anyPb.Any();
  any.pack(message.serializeBinary(), `event_store.client.${type}`);
  return any;
}
